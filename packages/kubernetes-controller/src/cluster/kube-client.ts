import { once } from "node:events";
import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { messageOf } from "server-core/errors";
import { readWithin } from "server-core/net/read-within";
import type { ClusterAccess } from "./cluster-access.ts";

/**
 * Maximum number of bytes of a list's page or of an object. Lists are requested in pages, and etcd limits an object to
 * 1.5 MiB.
 */
const maxAnswerBytes = 256 * 1024 * 1024;

/** Maximum number of bytes of one event of a watch. */
const maxEventBytes = 16 * 1024 * 1024;

/** Milliseconds without a byte after which an answer is given up. */
const silenceMs = 60_000;

/** The same for a watch. The API server ends each watch earlier, so only a lost connection is silent for this time. */
const watchSilenceMs = 420_000;

/** Maximum number of characters of an error's text. */
const maxReasonLength = 2_000;

/** An answer of the API server that is no success. */
export class KubeError extends Error {
  /** Status of HTTP; 410: the resourceVersion is too old; 409: another client changed the object first. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "KubeError";
    this.status = status;
  }
}

/** The message in a `Status` of the API server; for another answer, the body. */
function reasonIn(body: Buffer): string {
  const text = body.toString().slice(0, maxReasonLength);
  try {
    const { message } = JSON.parse(body.toString()) as { readonly message?: unknown };
    return typeof message === "string" ? message.slice(0, maxReasonLength) : text;
  } catch {
    return text;
  }
}

/** Cuts a stream at line ends. @throws Error for a line over the limit */
async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      yield Buffer.concat(parts).toString();
      parts = [];
      bytes = 0;
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
    bytes += chunk.length - start;
    if (bytes > maxEventBytes) {
      throw new Error(`an event over the limit of ${maxEventBytes} bytes`);
    }
  }
}

/** Sends requests to the API server: it reads, lists and watches objects, and writes statuses and Events. */
export class KubeClient {
  readonly #access: ClusterAccess;
  readonly #agent: HttpAgent;
  readonly #isTls: boolean;

  constructor(access: ClusterAccess) {
    this.#access = access;
    this.#isTls = access.server.startsWith("https:");
    const { ca, cert, key, serverName, skipsVerification } = access;
    this.#agent = this.#isTls
      ? new HttpsAgent({
          keepAlive: true,
          ...(ca === undefined ? {} : { ca }),
          ...(cert === undefined ? {} : { cert }),
          ...(key === undefined ? {} : { key }),
          ...(serverName === undefined ? {} : { servername: serverName }),
          rejectUnauthorized: !skipsVerification,
        })
      : new HttpAgent({ keepAlive: true });
  }

  get server(): string {
    return this.#access.server;
  }

  /** Closes idle connections. */
  close(): void {
    this.#agent.destroy();
  }

  /** @throws KubeError for an answer that is no success, Error when there is none */
  async get(path: string, signal: AbortSignal): Promise<unknown> {
    const answer = await this.#send({ method: "GET" }, path, signal);
    return JSON.parse((await readWithin(answer, maxAnswerBytes)).toString());
  }

  /** Sends a JSON body. @returns the object after the change. @throws KubeError */
  async send(
    method: "POST" | "PUT" | "PATCH",
    path: string,
    body: object,
    signal: AbortSignal,
  ): Promise<unknown> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = { "content-type": type, "content-length": bytes.length };
    const answer = await this.#send({ method, headers }, path, signal, bytes);
    return JSON.parse((await readWithin(answer, maxAnswerBytes)).toString());
  }

  /** The events of a watch, until the server ends it. @throws KubeError, Error for a lost connection */
  async *watch(path: string, signal: AbortSignal): AsyncGenerator<{ type: string; object: unknown }> {
    const answer = await this.#send({ method: "GET" }, path, signal);
    answer.setTimeout(watchSilenceMs, () => answer.destroy(new Error("the watch is silent")));
    try {
      for await (const line of linesOf(answer)) {
        if (line !== "") {
          yield JSON.parse(line) as { type: string; object: unknown };
        }
      }
    } finally {
      answer.destroy();
    }
  }

  async #send(
    options: RequestOptions,
    path: string,
    signal: AbortSignal,
    body?: Uint8Array,
  ): Promise<IncomingMessage> {
    const token = await this.#access.token();
    const headers = {
      accept: "application/json",
      "user-agent": "server-kubernetes-controller",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...options.headers,
    };
    const send = this.#isTls ? httpsRequest : httpRequest;
    const request = send(`${this.#access.server}${path}`, {
      ...options,
      headers,
      agent: this.#agent,
      signal,
    });
    request.setTimeout(silenceMs, () => request.destroy(new Error("the API server is silent")));
    request.end(body);
    const [answer] = (await once(request, "response", { signal })) as [IncomingMessage];
    const status = answer.statusCode ?? 0;
    if (status >= 200 && status <= 299) {
      return answer;
    }
    const text = await readWithin(answer, maxAnswerBytes).then(reasonIn, messageOf);
    throw new KubeError(status, `${options.method} ${path.split("?")[0]}: ${status}: ${text}`);
  }
}

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A decision as CrowdSec's local API has it. Source: CrowdSec, localapi_swagger.yaml, `Decision` */
export interface ApiDecision {
  readonly id?: number;
  readonly scope: string;
  readonly value: string;
  readonly type: string;
  readonly origin?: string;
  readonly duration?: string;
  readonly scenario?: string;
}

/** A decision with the members that the local API always sends. */
export function banOf(value: string, more: Partial<ApiDecision> = {}): ApiDecision {
  const scope = value.includes("/") ? "Range" : "Ip";
  return {
    ...{ id: 1, scope, value, type: "ban", origin: "cscli", duration: "4h0m0s", scenario: "manual" },
    ...more,
  };
}

/** For tests: a local API by CrowdSec's document, with decisions that the test gives it. */
export class LocalApi {
  readonly #server: Server;
  /** All decisions: the answer to a start, and to look-ups. */
  all: readonly ApiDecision[] = [];
  /** Changes for the next pull. */
  changes: {
    readonly new?: readonly ApiDecision[] | null;
    readonly deleted?: readonly ApiDecision[] | null;
  } = {};
  /** Status of all answers. */
  status = 200;
  /** True: answers end in the middle. */
  isCut = false;
  /** Request lines, oldest first. */
  readonly asked: string[] = [];
  /** Reports of usage. */
  readonly usage: unknown[] = [];
  /** Headers of the last request. */
  headers: IncomingMessage["headers"] = {};
  #port = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.asked.push(`${request.method} ${request.url}`);
      this.headers = request.headers;
      const url = new URL(request.url ?? "", "http://api");
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (this.status !== 200) {
          response.writeHead(this.status).end(JSON.stringify({ message: "access forbidden" }));
        } else if (url.pathname === "/v1/usage-metrics") {
          this.usage.push(JSON.parse(Buffer.concat(chunks).toString()));
          response.writeHead(201).end();
        } else {
          const text = JSON.stringify(this.#answer(url)) ?? "null";
          response.writeHead(200, {
            "Content-Type": "application/json",
            "Content-Length": Buffer.byteLength(text),
          });
          if (this.isCut) {
            response.write(text.slice(0, text.length / 2), () => response.destroy());
          } else {
            response.end(text);
          }
        }
      });
    });
  }

  static async start(): Promise<LocalApi> {
    const api = new LocalApi();
    await api.open();
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Listens, on the same port as before. */
  async open(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(url: URL): unknown {
    if (url.pathname === "/v1/decisions") {
      const found = this.all.filter(({ value }) => value === url.searchParams.get("ip"));
      return found.length === 0 ? null : found;
    }
    const isStart = url.searchParams.get("startup") === "true";
    const changes = this.changes;
    this.changes = {};
    return isStart
      ? { deleted: null, new: this.all }
      : { deleted: changes.deleted ?? null, new: changes.new ?? null };
  }
}

import { isIP } from "node:net";
import { finished } from "node:stream/promises";
import {
  type CredentialPlaces,
  findCredentials,
  findRegion,
  realPlaces,
} from "certificates/tls/aws/find-credentials";
import { type AwsCredentials, escaped, sha256, signedHeaders } from "certificates/tls/aws/sign-request";
import { HttpError } from "http-engine/http-error";
import { messageOf, ServerError } from "server-core/errors";
import { readWithin } from "server-core/net/read-within";
import type { Dispatcher } from "undici";
import { errorCode } from "./s3-answers.ts";
import type { S3Config } from "./s3-config.ts";

const defaultTimeoutMs = 10_000;
const connectTimeoutMs = 5_000;
const defaultMaxRequests = 256;
/** Maximum number of connections of one thread to the service; further requests wait, up to `max_requests`. */
const maxConnections = 64;
/**
 * Maximum number of bytes of a page of a listing. A page has a thousand keys of up to 1 KiB, and URL encoding may
 * triple their length.
 */
const maxPageBytes = 4 * 1024 * 1024;
/** Maximum number of bytes of an error that are read. */
const maxErrorBytes = 16 * 1024;
/** Milliseconds before the expiry of credentials at which new ones are looked up. */
const marginMs = 5 * 60_000;
/** Statuses of a service that is busy. Reading changes nothing, so such a request is sent once more. */
const laterStatuses = new Set([500, 502, 503, 504]);
/** Hash of an empty body, which is signed: requests have no body. */
const emptyHash = sha256("");

/** A request to the bucket. */
export interface S3Call {
  readonly method: "GET" | "HEAD";
  /** Key of the object; "" for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** True for a bucket name that can be a part of a host. */
function isHostName(bucket: string): boolean {
  return /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(bucket);
}

/** URL of the bucket without a final slash. @throws ServerError MODULE_CONFIG */
function bucketUrl(config: S3Config, region: string): string {
  const text = config.endpoint || `https://s3.${region}.amazonaws.com`;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "") {
    // The text is not repeated, because a URL may contain a password.
    throw new ServerError("MODULE_CONFIG", "endpoint: no URL of http or https without user and query");
  }
  const bare = url.hostname.replace(/^\[|\]$/g, "");
  const inPath =
    config.force_path_style === true ||
    config.use_path_style === true ||
    isIP(bare) !== 0 ||
    !isHostName(config.bucket);
  const base = `${url.protocol}//${inPath ? "" : `${config.bucket}.`}${url.host}${url.pathname.replace(/\/$/, "")}`;
  return inPath ? `${base}/${escaped(config.bucket)}` : base;
}

/** Signed requests to one bucket. Errors contain statuses and codes, never headers or URLs. */
export class S3Client {
  readonly #config: S3Config;
  readonly #region: string;
  readonly #base: string;
  readonly #places: CredentialPlaces;
  readonly #dispatcher: Dispatcher;
  readonly #maxRequests: number;
  #credentials: Promise<AwsCredentials> | undefined;
  /** Requests whose answer has not been read to its end. */
  #underWay = 0;

  private constructor(config: S3Config, places: CredentialPlaces, dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
    this.#config = config;
    this.#places = places;
    this.#region =
      config.region || findRegion(config.profile ?? undefined, places.environment) || "us-east-1";
    this.#base = bucketUrl(config, this.#region);
    this.#maxRequests = config.max_requests ?? defaultMaxRequests;
  }

  /** @param config with its placeholders filled. @throws ServerError MODULE_CONFIG */
  static async open(config: S3Config, places: CredentialPlaces = realPlaces): Promise<S3Client> {
    const { Agent } = await import("undici"); // loaded on first use
    const timeoutMs = config.timeout || defaultTimeoutMs;
    const dispatcher = new Agent({
      connections: maxConnections,
      connect: { timeout: connectTimeoutMs },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      allowH2: false,
    });
    return new S3Client(config, places, dispatcher);
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  /** Headers of an object; undefined when there is none. @throws HttpError */
  async head(key: string): Promise<Dispatcher.ResponseData["headers"] | undefined> {
    const { statusCode, headers, body } = await this.#send({ method: "HEAD", key });
    await body.dump();
    if (statusCode === 404) {
      return undefined;
    }
    if (statusCode !== 200) {
      throw refused(statusCode, "");
    }
    return headers;
  }

  /** An XML answer of the bucket itself. @throws HttpError */
  async text(query: Readonly<Record<string, string>>): Promise<string> {
    const { statusCode, body } = await this.#send({ method: "GET", key: "", query });
    if (statusCode !== 200) {
      throw refused(statusCode, await errorText(body));
    }
    try {
      return (await readWithin(body, maxPageBytes)).toString();
    } catch (error) {
      throw new HttpError(502, `s3: a listing: ${messageOf(error)}`, { cause: error });
    }
  }

  /** The body of an object. @throws HttpError */
  async body(key: string, headers: Readonly<Record<string, string>>): Promise<Dispatcher.ResponseData> {
    const answer = await this.#send({ method: "GET", key, headers });
    if (answer.statusCode !== 200 && answer.statusCode !== 206) {
      throw refused(answer.statusCode, await errorText(answer.body));
    }
    return answer;
  }

  /** Sends a request; once more when the service was busy. */
  async #send(call: S3Call): Promise<Dispatcher.ResponseData> {
    if (this.#underWay >= this.#maxRequests) {
      throw new HttpError(503, `s3: max_requests: ${this.#maxRequests} requests are under way already`);
    }
    this.#underWay++;
    let answer: Dispatcher.ResponseData;
    try {
      answer = await this.#once(call);
      if (laterStatuses.has(answer.statusCode)) {
        await answer.body.dump();
        answer = await this.#once(call);
      }
    } catch (error) {
      this.#underWay--;
      throw error instanceof HttpError ? error : unreachable(error);
    }
    // A body that its reader destroys is finished too.
    finished(answer.body, { writable: false })
      .catch(() => {})
      .finally(() => {
        this.#underWay--;
      });
    return answer;
  }

  async #once({ method, key, query = {}, headers = {} }: S3Call): Promise<Dispatcher.ResponseData> {
    const path = key === "" ? "/" : `/${key.split("/").map(escaped).join("/")}`;
    const url = new URL(`${this.#base}${path}`);
    for (const [name, value] of Object.entries(query)) {
      url.searchParams.set(name, value);
    }
    const signed = signedHeaders(
      {
        ...{ method, url, body: "", region: this.#region, service: "s3" },
        headers: { "x-amz-content-sha256": emptyHash },
      },
      await this.#keys(),
    );
    const search = [...url.searchParams]
      .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
      .join("&");
    return this.#dispatcher.request({
      origin: url.origin,
      path: search === "" ? url.pathname : `${url.pathname}?${search}`,
      method,
      headers: { ...headers, ...signed },
    });
  }

  /** Credentials, which are searched for again before they expire, and after a failure. */
  async #keys(): Promise<AwsCredentials> {
    const { access_key_id, secret_access_key, session_token, profile } = this.#config;
    if (access_key_id && secret_access_key) {
      return {
        accessKeyId: access_key_id,
        secretAccessKey: secret_access_key,
        sessionToken: session_token ?? undefined,
      };
    }
    this.#credentials ??= findCredentials(profile ?? undefined, this.#places);
    const asked = this.#credentials;
    try {
      const keys = await asked;
      if (keys.endsAtMs === undefined || keys.endsAtMs - marginMs > Date.now()) {
        return keys;
      }
      this.#forget(asked);
      this.#credentials ??= findCredentials(profile ?? undefined, this.#places);
      return await this.#credentials;
    } catch (error) {
      this.#credentials = undefined;
      throw new HttpError(502, `s3: ${messageOf(error)}`, { cause: error });
    }
  }

  #forget(asked: Promise<AwsCredentials>): void {
    if (this.#credentials === asked) {
      this.#credentials = undefined;
    }
  }
}

async function errorText(body: Dispatcher.ResponseData["body"]): Promise<string> {
  return (await readWithin(body, maxErrorBytes).catch(() => Buffer.alloc(0))).toString();
}

/** The error for a refusal by the service. The client gets 403 and 404 as they are; other statuses become 502. */
function refused(status: number, text: string): HttpError {
  const code = errorCode(text);
  const own = code === "NoSuchBucket" || status !== 404 ? 502 : 404;
  return new HttpError(
    status === 403 ? 403 : status === 412 ? 502 : own,
    `s3: the service answered ${status}${code === "" ? "" : ` ${code}`}`,
  );
}

/** The error for a service that does not answer: 504 after a timeout, else 502. */
function unreachable(error: unknown): HttpError {
  const isLate =
    /timeout/i.test((error as Error).name) || /TIMEOUT/.test((error as NodeJS.ErrnoException).code ?? "");
  return new HttpError(isLate ? 504 : 502, `s3: the service does not answer: ${messageOf(error)}`, {
    cause: error,
  });
}

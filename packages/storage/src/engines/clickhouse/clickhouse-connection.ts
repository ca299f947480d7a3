import type { Readable } from "node:stream";
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { Agent, request } from "undici";
import { StorageError } from "../../api/storage-error.ts";
import { toStorageError } from "./clickhouse-errors.ts";
import type { ClickHouseStoreOptions } from "./clickhouse-store-options.ts";

/** Values for `{name:Type}` in a query. */
export type QueryParameters = Readonly<Record<string, string | bigint | number | readonly string[]>>;

interface Endpoint {
  readonly url: string;
  readonly client: ClickHouseClient;
}

const connectTimeoutMs = 5_000;
/** Of an error's text. */
const maxErrorBytes = 65_536;

/**
 * ClickHouse over HTTP, at one of several addresses. Each call is one query, has a deadline, and when its signal is
 * aborted the query ends in the server too. Every method throws `StorageError`.
 */
export class ClickHouseConnection {
  readonly #options: Required<ClickHouseStoreOptions>;
  readonly #endpoints: readonly Endpoint[];
  readonly #agent: Agent;
  #current = 0;

  constructor(options: Required<ClickHouseStoreOptions>) {
    this.#options = options;
    this.#agent = new Agent({
      connections: options.maxConnections,
      connect: { timeout: connectTimeoutMs },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#endpoints = options.urls.map((url) => ({ url, client: this.#client(url) }));
  }

  /** The rows of a SELECT that names no format, one object each; `maxReadBytes` of JSON at most. */
  async rows<Row>(sql: string, parameters: QueryParameters, signal?: AbortSignal): Promise<Row[]> {
    const json = await this.bytes(
      `${sql} FORMAT JSONEachRow`,
      parameters,
      this.#options.maxReadBytes,
      signal,
    );
    const lines = json.toString("utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
  }

  /**
   * The answer to a SELECT that names its format.
   * @param maxBytes STORAGE_REFUSED when the answer is longer
   */
  bytes(sql: string, parameters: QueryParameters, maxBytes: number, signal?: AbortSignal): Promise<Buffer> {
    return this.#call({ signal }, async ({ client }, abort) => {
      const { stream } = await client.exec({ query: sql, ...this.#read(parameters, abort) });
      return await collect(stream, maxBytes, abort);
    });
  }

  /**
   * As `bytes`, but hands on what comes while it comes.
   * @param begin called when the answer begins, and once more where it had to be asked for again: what the last call
   *   returned gets all of it; a piece is read when the one before was taken
   */
  pieces(
    sql: string,
    parameters: QueryParameters,
    maxBytes: number,
    begin: () => { add(piece: Buffer): Promise<void> },
    signal?: AbortSignal,
  ): Promise<void> {
    return this.#call({ signal, isRepeatable: true }, async ({ client }, abort) => {
      const { stream } = await client.exec({ query: sql, ...this.#read(parameters, abort) });
      const taker = begin();
      await handOn(stream, maxBytes, abort, (piece) => taker.add(piece));
    });
  }

  /** A statement without an answer. */
  command(sql: string, signal?: AbortSignal): Promise<void> {
    return this.#call({ signal }, async ({ client }, abort) => {
      await client.command({
        query: sql,
        abort_signal: abort,
        clickhouse_settings: { wait_end_of_query: 1 },
      });
    });
  }

  /**
   * A statement without an answer that may take longer than the deadline of other calls.
   * @param timeoutMs its own deadline
   */
  longCommand(sql: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    return this.#call({ signal, timeoutMs }, ({ url }, abort) =>
      this.#post(url, { wait_end_of_query: "1" }, Buffer.from(sql), abort),
    );
  }

  /**
   * @param sql `INSERT INTO … FORMAT …`
   * @param settings query settings
   * @param rows sent as they are; after a failure they may still be read
   */
  insert(
    sql: string,
    settings: Readonly<Record<string, string>>,
    rows: Uint8Array,
    signal?: AbortSignal,
  ): Promise<void> {
    return this.#call({ signal, isInsert: true }, ({ url }, abort) =>
      this.#post(url, { ...settings, query: sql }, rows, abort),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.#agent.destroy(), ...this.#endpoints.map(({ client }) => client.close())]);
  }

  async #post(
    url: string,
    settings: Readonly<Record<string, string>>,
    body: Uint8Array,
    abort: AbortSignal,
  ): Promise<void> {
    const target = new URL(url);
    target.search = new URLSearchParams(settings).toString();
    const { user, password } = this.#options;
    const response = await request(target, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
        "content-type": "application/octet-stream",
      },
      body,
      signal: abort,
      dispatcher: this.#agent,
    });
    if (response.statusCode === 200) return await response.body.dump();
    throw insertError(await beginningOf(response.body), response.statusCode);
  }

  async #call<T>(
    {
      signal,
      isInsert = false,
      timeoutMs = this.#options.requestTimeoutMs,
    }: {
      readonly signal: AbortSignal | undefined;
      readonly isInsert?: boolean;
      readonly timeoutMs?: number;
    },
    work: (endpoint: Endpoint, abort: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const abort = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    const index = this.#current;
    const endpoint = this.#endpoints[index] as Endpoint;
    try {
      abort.throwIfAborted();
      return await work(endpoint, abort);
    } catch (error) {
      const aborted = signal?.aborted === true;
      const storageError = toStorageError(error, {
        url: endpoint.url,
        timeoutMs,
        aborted,
        timedOut: deadline.aborted,
        isInsert,
      });
      if (storageError.code === "STORAGE_UNAVAILABLE" && this.#current === index) {
        this.#current = (index + 1) % this.#endpoints.length;
      }
      throw storageError;
    }
  }

  #read(parameters: QueryParameters, abort: AbortSignal) {
    return {
      query_params: parameters,
      abort_signal: abort,
      clickhouse_settings: {
        max_execution_time: Math.ceil(this.#options.requestTimeoutMs / 1_000),
        // Both: ClickHouse ends a query whose client has gone only when the query is marked read-only, which one
        // sent by POST is not of itself. 2 still allows settings.
        readonly: "2",
        cancel_http_readonly_queries_on_client_close: 1,
        // Otherwise an error in the middle of the rows comes after a 200, as text behind them.
        wait_end_of_query: 1,
      },
    } as const;
  }

  #client(url: string): ClickHouseClient {
    const { user, password, maxConnections, requestTimeoutMs } = this.#options;
    return createClient({
      url,
      username: user,
      password,
      application: "tracing",
      max_open_connections: maxConnections,
      // Our own deadline comes first, and is told apart from the caller's signal.
      request_timeout: requestTimeoutMs + connectTimeoutMs,
      log: { level: ClickHouseLogLevel.OFF },
    });
  }
}

async function collect(stream: Readable, maxBytes: number, abort: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await handOn(stream, maxBytes, abort, (chunk) => {
    chunks.push(chunk);
  });
  return Buffer.concat(chunks);
}

async function handOn(
  stream: Readable,
  maxBytes: number,
  abort: AbortSignal,
  take: (chunk: Buffer) => Promise<void> | void,
): Promise<void> {
  const onAbort = () => stream.destroy(new Error("aborted"));
  if (abort.aborted) onAbort();
  abort.addEventListener("abort", onAbort, { once: true });
  try {
    let length = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) {
        throw new StorageError("STORAGE_REFUSED", `the answer is longer than the limit of ${maxBytes} bytes`);
      }
      await take(chunk);
    }
  } finally {
    abort.removeEventListener("abort", onAbort);
  }
}

async function beginningOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= maxErrorBytes) break;
  }
  return Buffer.concat(chunks).toString("utf8", 0, maxErrorBytes);
}

/** In the form that the client gives to errors of its own calls. */
function insertError(text: string, status: number): Error {
  const [, code, message = text] = /Code: (\d+)\.\s*(?:DB::Exception:\s*)?([\s\S]*)/.exec(text) ?? [];
  if (code === undefined) return new Error(`HTTP status ${status}: ${text.trim()}`);
  const type = /\(([A-Z0-9_]{3,})\)/.exec(message)?.[1];
  return new ClickHouseError({ code, message: message.trim(), ...(type === undefined ? {} : { type }) });
}

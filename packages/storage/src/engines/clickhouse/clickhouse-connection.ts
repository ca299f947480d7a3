import type { Readable } from "node:stream";
import { ClickHouseError } from "@clickhouse/client";
import { type Dispatcher, request } from "undici";
import { StorageError } from "../../api/storage-error.ts";
import {
  isConnectionError,
  isCredentialsFault,
  isHostFault,
  isUnknownSetting,
  toStorageError,
  wasNeverSent,
} from "./clickhouse-errors.ts";
import type { TraceCall } from "./clickhouse-store-options.ts";
import { type HostAddress, hostAddress } from "./hosts/host-address.ts";
import type { OnHostChange } from "./hosts/host-health.ts";
import { type Host, HostPool } from "./hosts/host-pool.ts";
import type { WatchedHostTls } from "./hosts/host-tls.ts";
import { bodyBytes, type InsertBody, sentBody } from "./insert-body.ts";
import { parameterText, type QueryParameters } from "./parameter-text.ts";

type Settings = Readonly<Record<string, string>>;

/** What a connection is made with. */
export interface ConnectionOptions {
  readonly urls: readonly string[];
  /** For addresses that name nobody. */
  readonly user: string;
  readonly password: string;
  readonly requestTimeoutMs: number;
  readonly maxConnections: number;
  readonly maxReadBytes: number;
  readonly tls?: WatchedHostTls | undefined;
  readonly onHostChange?: OnHostChange | undefined;
  readonly traceCall?: TraceCall | undefined;
  /** Settings of every read; those of a cluster. */
  readonly readSettings?: Settings;
  /** Settings of every insert; its own come first. */
  readonly insertSettings?: Settings;
}

/** Which server a call goes to: any, the first in the list that is up, or this one. */
type Choice = "any" | "first" | number;

interface Call {
  /** Of a read. */
  readonly sql?: string;
  readonly signal: AbortSignal | undefined;
  readonly isInsert?: boolean;
  /** Running it twice does no harm, so it may go to another server when the connection breaks in the middle. */
  readonly isRepeatable?: boolean;
  readonly timeoutMs?: number;
}

/** What a server says of an answer before it: the bytes are those that its rows take in its memory. */
export interface AnswerSize {
  readonly rows: number;
  readonly bytes?: number;
}

/** What a call sends besides its statement: where in a trace it stands. */
type CallHeaders = Readonly<Record<string, string>>;

/**
 * Settings of reads that only newer servers know, which are right without them.
 *
 * - These leave out parts whose least and greatest `start` say that no row can match, and take `toStartOfMinute` for monotonic then:
 *   with a span from before 1970 or after 2106 in a part, its minutes of 32 bits begin again, and all of the part is not seen.
 * - Long constants, such as the name of a type, get names of their own, and servers of a cluster do not know each other's
 *   (THERE_IS_NO_COLUMN).
 */
const newerSettings: Settings = { use_statistics_for_part_pruning: "0", optimize_const_name_size: "-1" };

/** Of an error's text. */
const maxErrorBytes = 65_536;

/**
 * ClickHouse over HTTP, at one or several addresses. Each call is one query, has a deadline, and when its signal is
 * aborted the query ends in the server too. A call whose server is away goes to the next one at once; in the middle of
 * the call only when running it twice does no harm: reads, and inserts with a deduplication token. Every method throws
 * `StorageError`.
 */
export class ClickHouseConnection {
  readonly #options: ConnectionOptions;
  readonly #pool: HostPool;
  readonly #choice: Choice;
  /** Of servers that do not know all `newerSettings`: those that they know. */
  readonly #known = new Map<number, Settings>();

  /** @throws StorageError STORAGE_REFUSED for an address that is none */
  constructor(options: ConnectionOptions, pool?: HostPool, choice: Choice = "any") {
    this.#options = options;
    const addresses = () => options.urls.map((url): HostAddress => hostAddress(url, options));
    this.#pool = pool ?? new HostPool({ ...options, addresses: addresses() });
    this.#choice = choice;
  }

  /** The same servers, of which the first in the list that is up gets all calls, with these settings besides. */
  steady(settings: Settings = {}): ClickHouseConnection {
    return new ClickHouseConnection(withSettings(this.#options, settings), this.#pool, "first");
  }

  /** The servers one by one. Closing one of them closes all. */
  each(): { readonly url: string; readonly connection: ClickHouseConnection }[] {
    return this.#pool.hosts.map(({ index, url }) => ({
      url,
      connection: new ClickHouseConnection(this.#options, this.#pool, index),
    }));
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
    return this.#call({ sql, signal, isRepeatable: true }, async (host, abort, headers) => {
      const { body } = await this.#ask(host, this.#read(parameters), Buffer.from(sql), abort, headers);
      return await collect(body, maxBytes, abort);
    });
  }

  /**
   * As `bytes`, but hands on what comes while it comes.
   * @param begin called when the answer begins, and once more where it had to be asked for again: what the last call
   *   returned gets all of it; a piece is read when the one before was taken. Gets the size of the answer, if the server says
   */
  pieces(
    sql: string,
    parameters: QueryParameters,
    maxBytes: number,
    begin: (size: AnswerSize | undefined) => { add(piece: Buffer): Promise<void> },
    signal?: AbortSignal,
  ): Promise<void> {
    return this.#call({ sql, signal, isRepeatable: true }, async (host, abort, headers) => {
      const answer = await this.#ask(host, this.#read(parameters), Buffer.from(sql), abort, headers);
      const taker = begin(sizeOf(answer.headers["x-clickhouse-summary"]));
      await handOn(answer.body, maxBytes, abort, (piece) => taker.add(piece));
    });
  }

  /** A statement without an answer. */
  command(sql: string, signal?: AbortSignal): Promise<void> {
    return this.#call({ signal }, (host, abort) => this.#run(host, sql, abort));
  }

  /**
   * A statement without an answer that may take longer than the deadline of other calls.
   * @param timeoutMs its own deadline
   */
  longCommand(sql: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    return this.#call({ signal, timeoutMs }, (host, abort) => this.#run(host, sql, abort));
  }

  /**
   * @param sql `INSERT INTO … FORMAT …`
   * @param settings query settings; with a deduplication token, it may be sent to more than one server
   * @param rows sent as they are; after a failure they may still be read
   */
  insert(sql: string, settings: Settings, rows: InsertBody, signal?: AbortSignal): Promise<void> {
    const isRepeatable = settings.insert_deduplication_token !== undefined;
    const query = { ...this.#options.insertSettings, ...settings, query: sql };
    return this.#call({ signal, isInsert: true, isRepeatable }, async (host, abort) => {
      // Without rows it is an INSERT … SELECT.
      const isRead = rows instanceof Uint8Array && rows.length === 0;
      const { body } = await (isRead
        ? this.#ask(host, query, rows, abort)
        : this.#post(host, query, rows, abort));
      await body.dump();
    });
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #run(host: Host, sql: string, abort: AbortSignal): Promise<void> {
    const { body } = await this.#ask(host, { wait_end_of_query: "1" }, Buffer.from(sql), abort);
    await body.dump();
  }

  /**
   * @returns the answer, whose body is not read yet
   * @throws ClickHouseError for another status than 200, or an error that came too late for it
   */
  async #post(
    host: Host,
    query: Settings,
    rows: InsertBody,
    abort: AbortSignal,
    headers: CallHeaders = {},
  ): Promise<Dispatcher.ResponseData> {
    const target = new URL(host.url);
    target.search = new URLSearchParams(query).toString();
    const response = await request(target, {
      method: "POST",
      headers: {
        ...headers,
        authorization: host.authorization,
        "content-type": "application/octet-stream",
        "content-length": String(bodyBytes(rows)),
        "user-agent": "tracing",
      },
      body: sentBody(rows),
      signal: abort,
      dispatcher: this.#pool.agent,
    });
    const code = response.headers["x-clickhouse-exception-code"];
    if (response.statusCode === 200 && code === undefined) return response;
    const text = await beginningOf(response.body);
    throw answeredError(text === "" && code !== undefined ? `Code: ${code}.` : text, response.statusCode);
  }

  /** For statements that read rows of the server. */
  async #ask(
    host: Host,
    query: Settings,
    body: Uint8Array,
    abort: AbortSignal,
    headers: CallHeaders = {},
  ): Promise<Dispatcher.ResponseData> {
    const known = this.#known.get(host.index) ?? newerSettings;
    try {
      return await this.#post(host, { ...query, ...known }, body, abort, headers);
    } catch (error) {
      if (!isUnknownSetting(error) || Object.keys(known).length === 0) throw error;
      this.#known.set(host.index, withoutNamed(known, String(error)));
      return await this.#ask(host, query, body, abort, headers);
    }
  }

  async #call<T>(
    call: Call,
    work: (host: Host, abort: AbortSignal, headers: CallHeaders) => Promise<T>,
  ): Promise<T> {
    const { sql } = call;
    const trace = sql === undefined ? undefined : this.#options.traceCall?.(sql);
    if (trace === undefined) return await this.#tryHosts(call, (host, abort) => work(host, abort, {}));
    const headers = { traceparent: trace.traceparent };
    try {
      const result = await this.#tryHosts(call, (host, abort) => work(host, abort, headers));
      trace.end();
      return result;
    } catch (error) {
      trace.end(error);
      throw error;
    }
  }

  async #tryHosts<T>(call: Call, work: (host: Host, abort: AbortSignal) => Promise<T>): Promise<T> {
    const { signal, isInsert = false, timeoutMs = this.#options.requestTimeoutMs } = call;
    const deadline = AbortSignal.timeout(timeoutMs);
    const abort = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    const failures: StorageError[] = [];
    for (const host of this.#order()) {
      const { url, index } = host;
      try {
        abort.throwIfAborted();
        const away = this.#pool.health?.isUp(index) ? this.#pool.health.awaySignal(index) : undefined;
        const result = await work(host, away === undefined ? abort : AbortSignal.any([abort, away]));
        this.#pool.answered(index);
        return result;
      } catch (error) {
        const isOurs = { aborted: signal?.aborted === true, timedOut: deadline.aborted };
        const failure = toStorageError(error, { url, timeoutMs, ...isOurs, isInsert });
        const isStranger = isCredentialsFault(failure) && this.#pool.hosts.length > 1;
        if (isStranger) this.#pool.refusesUs(index, failure.message);
        else if (isConnectionError(failure)) this.#pool.failed(index, failure.message);
        else if (failure.cause instanceof ClickHouseError) this.#pool.answered(index);
        if (!isStranger && !isHostFault(failure)) throw failure;
        failures.push(failure);
        if (call.isRepeatable !== true && !isStranger && !wasNeverSent(failure)) break;
      }
    }
    throw allFailed(failures, this.#pool.hosts.length);
  }

  #order(): Host[] {
    const { hosts, health } = this.#pool;
    if (typeof this.#choice === "number") return hosts.slice(this.#choice, this.#choice + 1);
    if (health === undefined) return [...hosts];
    const order = this.#choice === "any" ? health.inTurn() : health.inOrder();
    return order.flatMap((index) => hosts[index] ?? []);
  }

  #read(parameters: QueryParameters): Settings {
    const query: Record<string, string> = {
      max_execution_time: String(Math.ceil(this.#options.requestTimeoutMs / 1_000)),
      // Both: ClickHouse ends a query whose client has gone only when the query is marked read-only, which one
      // sent by POST is not of itself. 2 still allows settings.
      readonly: "2",
      cancel_http_readonly_queries_on_client_close: "1",
      // Otherwise an error in the middle of the rows comes after a 200, as text behind them.
      wait_end_of_query: "1",
      ...this.#options.readSettings,
    };
    for (const [name, value] of Object.entries(parameters)) query[`param_${name}`] = parameterText(value);
    return query;
  }
}

function withSettings(options: ConnectionOptions, settings: Settings): ConnectionOptions {
  return {
    ...options,
    readSettings: { ...options.readSettings, ...settings },
    insertSettings: { ...options.insertSettings, ...settings },
  };
}

/** One error for the servers that were tried; the first one's, where there was no other. */
function allFailed(failures: readonly StorageError[], hosts: number): StorageError {
  const [first] = failures;
  if (first === undefined) return new StorageError("STORAGE_REFUSED", "no address of ClickHouse is given");
  if (failures.length === 1) return first;
  const texts = failures.map(({ message }) => message).join("; ");
  const who = failures.length === hosts ? `none of the ${hosts} servers` : `${failures.length} servers, none`;
  return new StorageError(first.code, `${who} of ClickHouse could do it: ${texts}`, { cause: first.cause });
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

/** Size of an answer, as its header says. */
function sizeOf(summary: string | string[] | undefined): AnswerSize | undefined {
  if (typeof summary !== "string") return undefined;
  const { result_rows: rows, result_bytes: bytes } = JSON.parse(summary) as {
    readonly result_rows?: string;
    readonly result_bytes?: string;
  };
  if (rows === undefined) return undefined;
  return { rows: Number(rows), ...(bytes === undefined ? {} : { bytes: Number(bytes) }) };
}

/** In the form that ClickHouse's client gives to errors. */
function answeredError(text: string, status: number): Error {
  const [, code, message = text] = /Code: (\d+)\.\s*(?:DB::Exception:\s*)?([\s\S]*)/.exec(text) ?? [];
  if (code === undefined) return new Error(`HTTP status ${status}: ${text.trim()}`);
  const type = /\(([A-Z0-9_]{3,})\)/.exec(message)?.[1];
  return new ClickHouseError({ code, message: message.trim(), ...(type === undefined ? {} : { type }) });
}

/** Settings without the one that an error speaks of; without any where it names none of them. */
function withoutNamed(settings: Settings, error: string): Settings {
  const kept = Object.entries(settings).filter(([name]) => !error.includes(name));
  return kept.length === Object.keys(settings).length ? {} : Object.fromEntries(kept);
}

import type { IncomingMessage } from "node:http";
import { engineError } from "../engine-error.ts";

/** The data of a request, without its body. */
export interface QueryParameters {
  /** Parameter `query`; the body continues it, or contains an insert's rows. */
  readonly query: string;
  /** Parameter `query_id`, by which a query can be killed. */
  readonly queryId: string;
  /** Parameter `database`; "": the user's default. */
  readonly database: string;
  /** Format of the result for a statement that names no format; default: TabSeparated. */
  readonly format: string;
  /** Settings for only this query, by name. */
  readonly settings: ReadonlyMap<string, string>;
  /** Values for `{name:Type}` in the statement, by name. */
  readonly parameters: ReadonlyMap<string, string>;
  /** True for GET and HEAD, and for a read-only user. */
  readonly readOnly: boolean;
  /** True for a read-only user, with any method. */
  readonly reader: boolean;
  /** Parameter `session_id` with its options; undefined: no session. */
  readonly session: SessionParameters | undefined;
  /** Parameter `wait_end_of_query=1`: the answer begins after the query has ended. */
  readonly waitForEnd: boolean;
  /** Parameter `compress=1`: the answer consists of ClickHouse's compressed blocks. */
  readonly compressBlocks: boolean;
  /** Parameter `decompress=1`: the body consists of ClickHouse's compressed blocks. */
  readonly decompressBlocks: boolean;
  /** False when the client set `enable_http_compression=0`. */
  readonly mayCompress: boolean;
}

export interface SessionParameters {
  readonly id: string;
  /** Seconds without use after which the session ends. */
  readonly timeoutSeconds: number;
  /** True: the session must already exist. */
  readonly mustExist: boolean;
}

/** ClickHouse's `default_session_timeout` and `max_session_timeout`. */
const defaultSessionSeconds = 60;
const maxSessionSeconds = 3600;

/** Parameters with a special meaning; all other parameters are settings. */
const reserved = new Set(
  (
    "query query_id database default_format user password quota_key role compress decompress buffer_size session_id " +
    "wait_end_of_query session_timeout session_check stacktrace client_protocol_version enable_http_compression"
  ).split(" "),
);

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return typeof value === "string" ? value : "";
}

function readSession(search: URLSearchParams): SessionParameters | undefined {
  const id = search.get("session_id");
  if (id === null || id === "") {
    return undefined;
  }
  if (id.length > 256) {
    throw engineError("BAD_ARGUMENTS", "session_id is longer than 256 characters");
  }
  const given = search.get("session_timeout");
  const timeoutSeconds = given === null ? defaultSessionSeconds : Number(given);
  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1 || timeoutSeconds > maxSessionSeconds) {
    throw engineError(
      "BAD_ARGUMENTS",
      `session_timeout ${JSON.stringify(given)} is not 1 to ${maxSessionSeconds} seconds`,
    );
  }
  return { id, timeoutSeconds, mustExist: search.get("session_check") === "1" };
}

/**
 * Reads URL parameters and ClickHouse's headers.
 * @param reader true: the user may only read
 * @throws EngineError
 * Source: ClickHouse documentation, "HTTP interface"
 */
export function readQueryParameters(
  request: IncomingMessage,
  url: URL,
  fallbackId: string,
  reader: boolean,
): QueryParameters {
  const search = url.searchParams;
  const settings = new Map<string, string>();
  const parameters = new Map<string, string>();
  for (const [key, value] of search) {
    if (key.startsWith("param_")) {
      parameters.set(key.slice("param_".length), value);
    } else if (reader && key === "profile") {
      throw engineError("ACCESS_DENIED", "a read-only user cannot choose its profile");
    } else if (!reserved.has(key) && key !== "log_comment") {
      settings.set(key, value);
    }
  }
  const queryId = search.get("query_id") || fallbackId;
  if (!/^[\x20-\x7e]{1,256}$/.test(queryId)) {
    throw engineError("BAD_ARGUMENTS", "query_id must be 1 to 256 printable ASCII characters");
  }
  const format = search.get("default_format") || header(request, "x-clickhouse-format") || "TabSeparated";
  if (!/^[A-Za-z0-9_]{1,64}$/.test(format)) {
    throw engineError("UNKNOWN_FORMAT", `Unknown format ${format.slice(0, 64)}`);
  }
  return {
    query: search.get("query") ?? "",
    queryId,
    database: search.get("database") ?? header(request, "x-clickhouse-database"),
    format,
    settings,
    parameters,
    readOnly: reader || (request.method !== "POST" && request.method !== "PUT"),
    reader,
    session: readSession(search),
    waitForEnd: search.get("wait_end_of_query") === "1",
    compressBlocks: search.get("compress") === "1",
    decompressBlocks: search.get("decompress") === "1",
    mayCompress: search.get("enable_http_compression") !== "0",
  };
}

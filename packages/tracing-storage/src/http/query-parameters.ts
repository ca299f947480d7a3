import type { IncomingMessage } from "node:http";
import { engineError } from "../engine/engine-error.ts";

/** What a request says besides its body. */
export interface QueryParameters {
  /** `query`; the body continues it, or brings an insert's rows. */
  readonly query: string;
  readonly queryId: string;
  readonly database: string;
  /** Of the result when the statement names none; TabSeparated by default. */
  readonly format: string;
  readonly settings: ReadonlyMap<string, string>;
  readonly parameters: ReadonlyMap<string, string>;
  /** True for GET and HEAD. */
  readonly readOnly: boolean;
  /** False when the client set `enable_http_compression=0`. */
  readonly mayCompress: boolean;
}

/** Parameters with a meaning of their own; all others are settings. */
const reserved = new Set(
  (
    "query query_id database default_format user password quota_key role compress decompress buffer_size " +
    "wait_end_of_query session_timeout session_check stacktrace client_protocol_version enable_http_compression"
  ).split(" "),
);

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return typeof value === "string" ? value : "";
}

/**
 * Reads URL parameters and ClickHouse's headers.
 * @throws EngineError for what this server does not do: sessions and ClickHouse's own compression of bodies
 * Source: ClickHouse documentation, "HTTP interface"
 */
export function readQueryParameters(request: IncomingMessage, url: URL, fallbackId: string): QueryParameters {
  const search = url.searchParams;
  const settings = new Map<string, string>();
  const parameters = new Map<string, string>();
  for (const [key, value] of search) {
    if (key === "session_id") {
      throw engineError(
        "NOT_IMPLEMENTED",
        "sessions (session_id) are not served: give settings with each query",
      );
    }
    if ((key === "compress" || key === "decompress") && value !== "0") {
      throw engineError(
        "NOT_IMPLEMENTED",
        `${key}=1 is not served: use Accept-Encoding and Content-Encoding`,
      );
    }
    if (key.startsWith("param_")) {
      parameters.set(key.slice("param_".length), value);
    } else if (!reserved.has(key) && key !== "log_comment") {
      settings.set(key, value);
    }
  }
  const queryId = search.get("query_id") || fallbackId;
  if (!/^[\x20-\x7e]{1,256}$/.test(queryId)) {
    throw engineError("BAD_ARGUMENTS", "query_id must be 1 to 256 printable ASCII characters");
  }
  return {
    query: search.get("query") ?? "",
    queryId,
    database: search.get("database") ?? header(request, "x-clickhouse-database"),
    format: search.get("default_format") || header(request, "x-clickhouse-format") || "TabSeparated",
    settings,
    parameters,
    readOnly: request.method !== "POST" && request.method !== "PUT",
    mayCompress: search.get("enable_http_compression") !== "0",
  };
}

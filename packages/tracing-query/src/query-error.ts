/**
 * Codes of faults in a request to the query service. The list is closed: HTTP and gRPC map each code to a
 * status.
 *
 * - `QUERY_BAD_PARAMETER` a parameter is missing or does not parse
 * - `QUERY_TRACE_NOT_FOUND` the store has no span of the requested trace
 * - `QUERY_NOT_FOUND` no objective has the requested name, or no deletion the requested id
 * - `QUERY_FORBIDDEN` the role of the request does not allow it
 * - `QUERY_NOT_CONFIGURED` the request needs a store that is not configured
 * - `QUERY_UNREADABLE` the body of a request does not parse
 * - `QUERY_TOO_LARGE` the body, the result, or the number of stored items or counters is over a limit
 * - `QUERY_BUSY` too many requests are running; a later try may succeed
 * - `QUERY_UPSTREAM` Prometheus, the file of prices or the UI's configuration fails
 * - `QUERY_NOT_SUPPORTED` the endpoint is switched off by an option, or the store does not support it
 */
export type QueryErrorCode =
  | "QUERY_BAD_PARAMETER"
  | "QUERY_TRACE_NOT_FOUND"
  | "QUERY_NOT_FOUND"
  | "QUERY_FORBIDDEN"
  | "QUERY_NOT_CONFIGURED"
  | "QUERY_UNREADABLE"
  | "QUERY_TOO_LARGE"
  | "QUERY_BUSY"
  | "QUERY_UPSTREAM"
  | "QUERY_NOT_SUPPORTED";

/** The limit that a request exceeds. */
export interface BrokenLimit {
  /** Name of an option, such as `query.max-traces`; or `minimum`, `maximum`, `minLength`, `maxLength`. */
  readonly name: string;
  /** Value of the limit, for the message. */
  readonly value: number | string;
}

export interface QueryErrorOptions extends ErrorOptions {
  /** Name of the parameter, header or field at fault. */
  readonly parameter?: string | undefined;
  /** The limit that the request exceeded; undefined for other failures. */
  readonly limit?: BrokenLimit | undefined;
}

/** The error class of this package. Its message is sent to the client. */
export class QueryError extends Error {
  override readonly name = "QueryError";
  readonly code: QueryErrorCode;
  readonly parameter: string | undefined;
  readonly limit: BrokenLimit | undefined;

  constructor(code: QueryErrorCode, message: string, options?: QueryErrorOptions) {
    super(message, options);
    this.code = code;
    this.parameter = options?.parameter;
    this.limit = options?.limit;
  }
}

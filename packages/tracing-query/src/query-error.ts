/**
 * What can be wrong with a request to the query service. The list is closed: HTTP and gRPC map each code to a
 * status of theirs.
 *
 * - `QUERY_BAD_PARAMETER` a parameter is missing or does not parse
 * - `QUERY_TRACE_NOT_FOUND` the store has no span of that trace
 * - `QUERY_NOT_CONFIGURED` it needs a store that this process was not given
 * - `QUERY_UNREADABLE` the body of a request cannot be read as what it should be
 * - `QUERY_TOO_LARGE` the body of a request, or what is asked for, is over a limit
 * - `QUERY_BUSY` too many requests are under way: try later
 * - `QUERY_UPSTREAM` the source of metrics fails
 * - `QUERY_NOT_SUPPORTED` the endpoint exists in the public model and is switched off, or not built, here
 */
export type QueryErrorCode =
  | "QUERY_BAD_PARAMETER"
  | "QUERY_TRACE_NOT_FOUND"
  | "QUERY_NOT_CONFIGURED"
  | "QUERY_UNREADABLE"
  | "QUERY_TOO_LARGE"
  | "QUERY_BUSY"
  | "QUERY_UPSTREAM"
  | "QUERY_NOT_SUPPORTED";

/** A bound that a request breaks. */
export interface BrokenLimit {
  /** An option of this process, such as `query.max-traces`; or `minimum`, `maximum`, `minLength`, `maxLength`. */
  readonly name: string;
  readonly value: number | string;
}

export interface QueryErrorOptions extends ErrorOptions {
  /** Name of the parameter, header or field that is to blame. */
  readonly parameter?: string | undefined;
  readonly limit?: BrokenLimit | undefined;
}

/** The one error of this package. Its message goes to the client as it is. */
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

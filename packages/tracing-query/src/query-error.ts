/**
 * What can be wrong with a request to the query service. The list is closed: HTTP and gRPC map each code to a
 * status of theirs.
 *
 * - `QUERY_BAD_PARAMETER` a parameter is missing or does not parse
 * - `QUERY_TRACE_NOT_FOUND` the store has no span of that trace
 * - `QUERY_NOT_CONFIGURED` it needs a store that this process was not given
 * - `QUERY_NOT_SUPPORTED` the endpoint exists in the public model and is switched off, or not built, here
 */
export type QueryErrorCode =
  | "QUERY_BAD_PARAMETER"
  | "QUERY_TRACE_NOT_FOUND"
  | "QUERY_NOT_CONFIGURED"
  | "QUERY_NOT_SUPPORTED";

/** The one error of this package. Its message goes to the client as it is. */
export class QueryError extends Error {
  override readonly name = "QueryError";
  readonly code: QueryErrorCode;

  constructor(code: QueryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

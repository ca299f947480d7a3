/**
 * Reasons to refuse bytes as HTTP/1.
 * - `malformed`: the bytes are not HTTP/1, or two parsers could read them differently
 * - `version`: a version other than 1.0 and 1.1
 * - `transfer-encoding`: a value other than `chunked`
 * - `expectation`: a value other than `100-continue`
 * - `head-too-large`: the head exceeds the limit
 * - `late`: the head or the body did not arrive in time
 * - `gone`: the connection closed before the end of the body
 */
export type Http1Fault =
  | "malformed"
  | "version"
  | "transfer-encoding"
  | "expectation"
  | "head-too-large"
  | "late"
  | "gone";

/** Error of the HTTP/1 parsers for refused bytes. Servers and clients convert it into their own errors. */
export class Http1Error extends Error {
  override readonly name = "Http1Error";
  readonly fault: Http1Fault;

  constructor(fault: Http1Fault, message: string) {
    super(message);
    this.fault = fault;
  }
}

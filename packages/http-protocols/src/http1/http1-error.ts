/**
 * Reasons to refuse bytes of HTTP/1.
 * - `malformed`: the bytes are no HTTP/1, or two readers could understand them differently
 * - `version`: a version that is neither 1.0 nor 1.1
 * - `transfer-encoding`: one that is not `chunked`
 * - `expectation`: one that is not `100-continue`
 * - `head-too-large`: the head is over the limit
 */
export type Http1Fault = "malformed" | "version" | "transfer-encoding" | "expectation" | "head-too-large";

/** The readers of HTTP/1 refuse the bytes. Servers and clients turn it into errors of their own. */
export class Http1Error extends Error {
  override readonly name = "Http1Error";
  readonly fault: Http1Fault;

  constructor(fault: Http1Fault, message: string) {
    super(message);
    this.fault = fault;
  }
}

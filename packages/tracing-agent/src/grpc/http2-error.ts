/** The peer broke HTTP/2, or the socket ended: what is under way on the connection is lost. */
export class Http2Error extends Error {
  override readonly name = "Http2Error";
  /** An error code of HTTP/2, for GOAWAY. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

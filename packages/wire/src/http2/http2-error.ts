/**
 * The peer broke HTTP/2, or a limit: the connection cannot go on. `code` is one of `errorCodes`, for GOAWAY; the message
 * says what was wrong.
 */
export class Http2Error extends Error {
  override readonly name = "Http2Error";
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

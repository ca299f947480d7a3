/**
 * The peer violated HTTP/2 or exceeded a limit, and the connection must end. `code` is a value of `errorCodes`, for
 * GOAWAY; the message names the fault.
 */
export class Http2Error extends Error {
  override readonly name = "Http2Error";
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

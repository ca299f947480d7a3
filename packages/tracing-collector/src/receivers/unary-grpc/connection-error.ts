/** The connection cannot go on. `code` is one of HTTP/2's error codes; the message goes to the client in GOAWAY. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

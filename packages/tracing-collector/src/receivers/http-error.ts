/** A fault in an HTTP request, with a text for the sender. Repeating the same request does not help. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: 400 | 413 | 415;

  constructor(status: 400 | 413 | 415, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

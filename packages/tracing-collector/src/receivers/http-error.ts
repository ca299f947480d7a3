/** What is wrong with an HTTP request, for its sender; never a reason to come again. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: 400 | 413 | 415;

  constructor(status: 400 | 413 | 415, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** A failed request, with the server's message if there is one. @typeParam Code type of the error codes */
export class RequestError<Code extends string> extends Error {
  override readonly name = "RequestError";
  readonly code: Code;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;

  constructor(code: Code, message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = options.status ?? 0;
  }
}

/** A request that failed, in the server's own words where it had some. @typeParam Code names what went wrong */
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

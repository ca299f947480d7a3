/**
 * Reasons why spans are not written, besides those of the store.
 *
 * - `WRITE_BUSY` too many spans wait already
 * - `WRITE_STOPPING` the process ends
 */
export type WriteErrorCode = "WRITE_BUSY" | "WRITE_STOPPING";

/** The spans were refused; none of them is stored. */
export class WriteError extends Error {
  override readonly name = "WriteError";
  readonly code: WriteErrorCode;

  constructor(code: WriteErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

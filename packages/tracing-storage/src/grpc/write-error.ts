/**
 * Reasons why spans are not written, in addition to the store's reasons.
 * - `WRITE_BUSY` too many spans are waiting
 * - `WRITE_STOPPING` the process is stopping
 */
export type WriteErrorCode = "WRITE_BUSY" | "WRITE_STOPPING";

/** The spans were refused, and none of them is stored. */
export class WriteError extends Error {
  override readonly name = "WriteError";
  readonly code: WriteErrorCode;

  constructor(code: WriteErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Codes of a store's errors.
 *
 * - `STORAGE_UNAVAILABLE` no server answers, or the store is starting, overloaded or out of disk space: try later
 * - `STORAGE_TIMEOUT` the deadline passed; a write may still have succeeded
 * - `STORAGE_ABORTED` the caller's signal was aborted
 * - `STORAGE_BAD_QUERY` no store can answer the read: an invalid id or limit, too many tags, or too long
 *   texts
 * - `STORAGE_TOO_LARGE` the answer of a read exceeds the limit of bytes for one read
 * - `STORAGE_REFUSED` the store refuses a read: bad query or wrong credentials. A write gets this code only for invalid
 *   rows; other refusals of a write are `STORAGE_UNAVAILABLE`
 * - `STORAGE_VERSION` the store's schema is newer than this code
 * - `STORAGE_UNSUPPORTED` this engine lacks the function
 */
export type StorageErrorCode =
  | "STORAGE_UNAVAILABLE"
  | "STORAGE_TIMEOUT"
  | "STORAGE_ABORTED"
  | "STORAGE_BAD_QUERY"
  | "STORAGE_TOO_LARGE"
  | "STORAGE_REFUSED"
  | "STORAGE_VERSION"
  | "STORAGE_UNSUPPORTED";

/** The error class of this package; `cause` is the error of the engine's client. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** True when an engine refused a read because it lacks the function. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof StorageError && error.code === "STORAGE_UNSUPPORTED";
}

/**
 * What can go wrong in a store.
 *
 * - `STORAGE_UNAVAILABLE` nobody answers, or the store says it cannot now (starting, overloaded, disk full): try later
 * - `STORAGE_TIMEOUT` the deadline passed; a write may or may not have happened
 * - `STORAGE_ABORTED` the caller's signal was aborted
 * - `STORAGE_BAD_QUERY` a read asks for what no store can answer: a bad id or limit, too many tags, too long texts
 * - `STORAGE_REFUSED` the store understood and refuses: bad rows, bad query, wrong credentials (of a write: the rows
 *   are to blame, and only they; anything else that stops a write is `STORAGE_UNAVAILABLE`)
 * - `STORAGE_VERSION` the store's schema is newer than this code
 * - `STORAGE_UNSUPPORTED` this engine cannot do that at all
 */
export type StorageErrorCode =
  | "STORAGE_UNAVAILABLE"
  | "STORAGE_TIMEOUT"
  | "STORAGE_ABORTED"
  | "STORAGE_BAD_QUERY"
  | "STORAGE_REFUSED"
  | "STORAGE_VERSION"
  | "STORAGE_UNSUPPORTED";

/** The one error of this package; `cause` is what the engine's client threw. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

import { StorageError } from "../../api/storage-error.ts";

/** @throws StorageError STORAGE_ABORTED */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new StorageError("STORAGE_ABORTED", "the caller gave up");
  }
}

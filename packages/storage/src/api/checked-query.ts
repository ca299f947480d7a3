import { StorageError } from "./storage-error.ts";

/** Each id once, in the order given. @throws StorageError STORAGE_REFUSED for one that is not 32 hex digits */
export function distinctTraceIds(traceIds: readonly string[]): string[] {
  for (const id of traceIds) {
    if (!/^[0-9a-f]{32}$/.test(id)) {
      throw new StorageError("STORAGE_REFUSED", `trace id "${id}" is not 32 lower-case hex digits`);
    }
  }
  return [...new Set(traceIds)];
}

/** @throws StorageError STORAGE_REFUSED for a limit that is not a whole number of at least 1 */
export function checkLimit(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new StorageError("STORAGE_REFUSED", `limit ${limit} is not a whole number of at least 1`);
  }
}

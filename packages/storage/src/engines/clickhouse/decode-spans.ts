import type { Span } from "wire/model";
import { readStoredRows } from "wire/rows/read-stored-rows";
import { StorageError } from "../../api/storage-error.ts";

/**
 * Decodes stored rows. Only the formats of our codecs are supported; others would need SQL.
 * @throws StorageError STORAGE_REFUSED
 */
export function decodeSpans(rows: Uint8Array): Span[] {
  return decoded(() => readStoredRows(rows));
}

/** Runs `decode` on stored rows. @throws StorageError STORAGE_REFUSED for unreadable rows */
export function decoded<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    const message = `stored rows cannot be read: ${(error as Error).message}`;
    throw new StorageError("STORAGE_REFUSED", message, { cause: error });
  }
}

import { type ApiV2Span, fromStoredApiV2Spans } from "wire/api-v2";
import type { Span } from "wire/model";
import { StorageError } from "../../api/storage-error.ts";

/** @throws StorageError STORAGE_REFUSED for spans that violate the API's rules */
export function spansOf(stored: readonly ApiV2Span[]): Span[] {
  try {
    return fromStoredApiV2Spans(stored);
  } catch (error) {
    const message = `stored spans cannot be read: ${(error as Error).message}`;
    throw new StorageError("STORAGE_REFUSED", message, { cause: error });
  }
}

import type { ReadOptions, TraceQuery } from "./span-reader.ts";
import { StorageError } from "./storage-error.ts";

/**
 * Each tag is searched in three places. With about a hundred tags, a search takes seconds and exceeds ClickHouse's
 * memory limit.
 */
const maxTags = 64;

/**
 * Maximum number of bytes of all texts of a query, as encoded in a request's address. Node's servers accept 16 KiB of
 * headers.
 */
const maxTextBytes = 8_192;

/**
 * Maximum number of bytes of the tenant's name; a longer name is refused. The request's address contains the tenant
 * beside the texts of the query.
 */
const maxTenantBytes = 1_024;

/**
 * Removes repeated ids and keeps the order. @throws StorageError STORAGE_BAD_QUERY for an id that is not 32
 * hex digits
 */
export function distinctTraceIds(traceIds: readonly string[]): string[] {
  for (const id of traceIds) {
    if (!/^[0-9a-f]{32}$/.test(id)) {
      throw new StorageError("STORAGE_BAD_QUERY", `trace id "${id}" is not 32 lower-case hex digits`);
    }
  }
  return [...new Set(traceIds)];
}

/** @throws StorageError STORAGE_BAD_QUERY unless the limit is a whole number of at least 1 */
function checkLimit(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new StorageError("STORAGE_BAD_QUERY", `limit ${limit} is not a whole number of at least 1`);
  }
}

/**
 * @throws StorageError STORAGE_BAD_QUERY for an invalid limit, more than 64 tags, or texts that are too long
 */
export function checkSearch({ limit, service = "", operation = "", tags = new Map() }: TraceQuery): void {
  checkLimit(limit);
  if (tags.size > maxTags) {
    throw new StorageError("STORAGE_BAD_QUERY", `${tags.size} tags are over the limit of ${maxTags}`);
  }
  checkTexts([service, operation, ...[...tags].flat()]);
}

/** @throws StorageError STORAGE_BAD_QUERY for texts that together, percent-encoded, are longer than 8 KiB */
export function checkTexts(texts: readonly string[]): void {
  let length = 0;
  for (const text of texts) {
    length += encodedLength(text);
  }
  if (length > maxTextBytes) {
    throw new StorageError(
      "STORAGE_BAD_QUERY",
      `the texts of the query, percent-encoded ${length} bytes, are over the limit of ${maxTextBytes}`,
    );
  }
}

/** True when the names, percent-encoded, fit into a query: together at most 8 KiB. */
export function fitsQuery({ service, operation }: { service: string; operation: string }): boolean {
  return encodedLength(service) + encodedLength(operation) <= maxTextBytes;
}

/**
 * The tenant whose spans are read.
 * @throws StorageError STORAGE_BAD_QUERY for a name of over 1,024 bytes
 */
export function tenantOf({ tenant = "" }: ReadOptions): string {
  if (Buffer.byteLength(tenant) > maxTenantBytes) {
    throw new StorageError(
      "STORAGE_BAD_QUERY",
      `the tenant's name of ${Buffer.byteLength(tenant)} bytes is over the limit of ${maxTenantBytes}`,
    );
  }
  return tenant;
}

/** Bytes that a text takes in a request's address. ClickHouse's parameters need a backslash before some characters. */
export function encodedLength(text: string): number {
  return new URLSearchParams({ "": text.replace(/[\\'\t\n\r]/g, "\\\\") }).toString().length - 1;
}

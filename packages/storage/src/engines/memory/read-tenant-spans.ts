import { RowScanner, readSpanRows, type SpanRows } from "wire/rows";
import { StorageError } from "../../api/storage-error.ts";
import type { TenantSpan } from "./stored-tenants.ts";

/** @throws StorageError STORAGE_REFUSED for invalid rows */
export function readTenantSpans(rows: SpanRows): TenantSpan[] {
  try {
    const scanner = new RowScanner();
    scanner.open(rows);
    return readSpanRows(rows.bytes).map((span) => {
      scanner.next();
      const { bytes, tenantStart, tenantEnd } = scanner;
      return { tenant: Buffer.from(bytes.subarray(tenantStart, tenantEnd)).toString(), span };
    });
  } catch (error) {
    throw new StorageError("STORAGE_REFUSED", `rows cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

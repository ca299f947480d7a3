import { RowScanner, readSpanRows, type SpanRows } from "wire/rows";
import { StorageError } from "../../api/storage-error.ts";
import type { TraceStore } from "../../api/trace-store.ts";
import { MemorySamplingStore } from "./memory-sampling-store.ts";
import { MemorySpanReader } from "./memory-span-reader.ts";
import { StoredTenants, type TenantSpan } from "./stored-tenants.ts";
import { throwIfAborted } from "./throw-if-aborted.ts";

export interface MemoryStoreOptions {
  /** Traces kept of each tenant; the oldest by first arrival are dropped for new ones. 10,000 by default. */
  readonly maxTraces?: number;
}

/** A store for tests and demos, gone when the process ends. The number of spans of one trace has no limit. */
export function openMemoryStore(options: MemoryStoreOptions = {}): TraceStore {
  const stored = new StoredTenants(options.maxTraces ?? 10_000);
  return {
    reader: new MemorySpanReader(stored),
    writer: {
      async writeSpans(rows, { deduplicationToken, signal }) {
        throwIfAborted(signal);
        stored.add(readRefusing(rows), deduplicationToken);
      },
    },
    sampling: new MemorySamplingStore(),
    async ready(signal) {
      throwIfAborted(signal);
    },
    async close() {},
  };
}

function readRefusing(rows: SpanRows): TenantSpan[] {
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

import type { Span } from "wire/model";
import { readSpanRows } from "wire/rows";
import { distinctTraceIds, tenantOf } from "../../api/checked-query.ts";
import type { ReadOptions, SpanReader, Trace } from "../../api/span-reader.ts";
import { StorageError } from "../../api/storage-error.ts";
import { tracesInOrder } from "../../api/traces-in-order.ts";
import type { ClickHouseConnection } from "./clickhouse-connection.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";

/** Ids of one query: they stand in the address of the request, and Node's servers take 16 KiB of headers. */
const idsPerQuery = 200;

/** Reads whole traces from one table, with one query for each 200 of them. */
export class ClickHouseTraceReader implements Pick<SpanReader, "getTraces"> {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #sql: string;
  readonly #maxReadBytes: number;

  /** @param sql gives rows for `readSpanRows`, for the parameters `ids` and `tenant` */
  constructor(connection: ClickHouseConnection, schema: SchemaGuard, sql: string, maxReadBytes: number) {
    this.#connection = connection;
    this.#schema = schema;
    this.#sql = sql;
    this.#maxReadBytes = maxReadBytes;
  }

  async getTraces(traceIds: readonly string[], options: ReadOptions = {}): Promise<Trace[]> {
    const { signal } = options;
    const tenant = tenantOf(options);
    const ids = distinctTraceIds(traceIds);
    const spans: Span[] = [];
    let bytesLeft = this.#maxReadBytes;
    for (let first = 0; first < ids.length; first += idsPerQuery) {
      const parameters = { ids: ids.slice(first, first + idsPerQuery), tenant };
      const rows = await this.#schema.run(
        () => this.#connection.bytes(this.#sql, parameters, bytesLeft, signal),
        signal,
      );
      bytesLeft -= rows.length;
      for (const span of decodeSpans(rows)) spans.push(span);
    }
    return tracesInOrder(ids, spans);
  }
}

/**
 * Rows of our own codecs can be read; others have SQL at hand.
 * @throws StorageError STORAGE_REFUSED
 */
export function decodeSpans(rows: Uint8Array): Span[] {
  try {
    return readSpanRows(rows);
  } catch (error) {
    const message = `stored rows cannot be read: ${(error as Error).message}`;
    throw new StorageError("STORAGE_REFUSED", message, { cause: error });
  }
}

import type { Span } from "wire/model";
import { readSpanRows } from "wire/rows";
import { distinctTraceIds, tenantOf } from "../../api/checked-query.ts";
import type { ReadOptions, SpanReader, Trace } from "../../api/span-reader.ts";
import { StorageError } from "../../api/storage-error.ts";
import { tracesInOrder } from "../../api/traces-in-order.ts";
import type { ClickHouseConnection, QueryParameters } from "./clickhouse-connection.ts";
import { namingTraces } from "./cluster/naming-traces.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";

/** Ids of one query: they stand in the address of the request, and Node's servers take 16 KiB of headers. */
const idsPerQuery = 200;

/** Reads whole traces from one table, with one query for each 200 of them. */
export class ClickHouseTraceReader implements Pick<SpanReader, "getTraces"> {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #sql: string;
  readonly #maxReadBytes: number;
  readonly #isCluster: boolean;

  /**
   * @param sql gives rows for `readSpanRows`, for the parameters `ids` and `tenant`
   * @param settings `isCluster`: traces are first looked for in the shard where they are written
   */
  constructor(
    connection: ClickHouseConnection,
    schema: SchemaGuard,
    sql: string,
    { maxReadBytes, isCluster = false }: { readonly maxReadBytes: number; readonly isCluster?: boolean },
  ) {
    this.#connection = connection;
    this.#schema = schema;
    this.#sql = sql;
    this.#maxReadBytes = maxReadBytes;
    this.#isCluster = isCluster;
  }

  async getTraces(traceIds: readonly string[], options: ReadOptions = {}): Promise<Trace[]> {
    const { signal } = options;
    const tenant = tenantOf(options);
    const ids = distinctTraceIds(traceIds);
    const spans: Span[] = [];
    let bytesLeft = this.#maxReadBytes;
    for (let first = 0; first < ids.length; first += idsPerQuery) {
      const some = ids.slice(first, first + idsPerQuery);
      const before = spans.length;
      const known = () => new Set(spans.slice(before).map(({ traceId }) => traceId));
      for (const { sql, parameters } of this.#queries(some, known)) {
        const rows = await this.#schema.run(
          () => this.#connection.bytes(sql, { ...parameters, tenant }, bytesLeft, signal),
          signal,
        );
        bytesLeft -= rows.length;
        for (const span of decodeSpans(rows)) spans.push(span);
      }
    }
    return tracesInOrder(ids, spans);
  }

  /** @param known those of the traces that the queries before have found */
  *#queries(
    ids: readonly string[],
    known: () => ReadonlySet<string>,
  ): Generator<{ readonly sql: string; readonly parameters: QueryParameters }> {
    if (!this.#isCluster) return yield { sql: this.#sql, parameters: { ids } };
    yield { sql: namingTraces(this.#sql, ids), parameters: {} };
    // Where shards were added since, older traces lie elsewhere.
    const found = known();
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length > 0) yield { sql: this.#sql, parameters: { ids: missing } };
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

import type { SpanRows } from "wire/rows";
import type { SpanRowSource, SpanWriter, WriteOptions } from "../../api/span-writer.ts";
import type { ClickHouseConnection } from "./clickhouse-connection.ts";
import type { InsertBody } from "./insert-body.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";
import { insertColumns } from "./schema/span-sql.ts";

/** Writes each block as one insert into one table, synced to disk before it is acknowledged (settings of the tables). */
export class ClickHouseSpanWriter implements SpanWriter {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #sql: string;
  readonly #onWritten: () => void;

  /**
   * @param table with its database
   * @param onWritten called after each block
   */
  constructor(
    connection: ClickHouseConnection,
    schema: SchemaGuard,
    table: string,
    onWritten: () => void = () => {},
  ) {
    this.#connection = connection;
    this.#schema = schema;
    this.#onWritten = onWritten;
    this.#sql = `INSERT INTO ${table} (${insertColumns}) FORMAT RowBinary`;
  }

  writeSpans(rows: SpanRows, options: WriteOptions): Promise<void> {
    return this.#write(rows.count, rows.bytes, options);
  }

  writeSpanSource(rows: SpanRowSource, options: WriteOptions): Promise<void> {
    return this.#write(rows.count, rows, options);
  }

  async #write(count: number, body: InsertBody, options: WriteOptions): Promise<void> {
    if (count === 0) return;
    const settings = {
      // The table reads the day of arrival, which is its partition, from the front of the token.
      insert_deduplication_token: `${dayOf(options.receivedUnixMs ?? Date.now())}/${options.deduplicationToken}`,
      deduplicate_blocks_in_dependent_materialized_views: "1",
      // One block, one part, one token: never split, never put aside to be joined with others.
      async_insert: "0",
      max_insert_block_size: String(count + 1),
      min_insert_block_size_rows: String(count),
      min_insert_block_size_bytes: "0",
    };
    const { signal } = options;
    await this.#schema.run(() => this.#connection.insert(this.#sql, settings, body, signal), signal);
    this.#onWritten();
  }
}

function dayOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 10);
}

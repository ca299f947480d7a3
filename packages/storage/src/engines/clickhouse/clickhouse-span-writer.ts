import { WireError } from "wire/errors";
import type { SpanRows } from "wire/rows";
import { SpanBlock } from "wire/span-block";
import type { SpanRowSource, SpanWriter, WriteOptions } from "../../api/span-writer.ts";
import { StorageError } from "../../api/storage-error.ts";
import type { ClickHouseConnection } from "./clickhouse-connection.ts";
import { isUnknownSetting } from "./clickhouse-errors.ts";
import { indexesLeftToMerges } from "./schema/attribute-hash-migration.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";

/**
 * A setting for inserts of spans. Building the attribute indexes is half of an insert's cost. A merge builds them at
 * almost no cost, and each row is merged soon. Before the merge, a search reads these small parts without indexes.
 * Measurements: docs/adr/035-indexes-made-by-merges.md.
 */
export const leavingIndexes = { exclude_materialize_skip_indexes_on_insert: indexesLeftToMerges.join(",") };

/**
 * Writes each block as one insert into one table. A table setting makes ClickHouse sync the insert to disk before it
 * confirms it. The writer converts rows to columns first. The conversion costs half of the time that it saves in
 * ClickHouse, and 40 % fewer bytes are sent. Measurements: docs/adr/030-blocks-of-columns.md.
 */
export class ClickHouseSpanWriter implements SpanWriter {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #table: string;
  readonly #onWritten: () => void;
  /** A block whose memory the next write can reuse, because no insert reads it any more. */
  #spareBlock: SpanBlock | undefined;
  /** Insert settings that skip indexes. Empty after a server was found that is older than the setting. */
  #indexSettings: Readonly<Record<string, string>> = leavingIndexes;

  /**
   * @param table table with its database, as `database.table`
   * @param onWritten called after each stored block
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
    this.#table = table;
  }

  async writeSpans(rows: SpanRows, options: WriteOptions): Promise<void> {
    if (rows.count === 0) {
      return;
    }
    const block = this.#takeBlock();
    addRows(block, rows);
    await this.#insert(block, options);
  }

  async writeSpanSource(rows: SpanRowSource, options: WriteOptions): Promise<void> {
    if (rows.count === 0) {
      return;
    }
    const block = this.#takeBlock();
    for await (const piece of rows.pieces()) {
      addRows(block, piece);
    }
    if (block.rows !== rows.count) {
      throw new StorageError("STORAGE_REFUSED", `${rows.count} rows are ${block.rows}`);
    }
    await this.#insert(block, options);
  }

  #takeBlock(): SpanBlock {
    const block = this.#spareBlock ?? new SpanBlock();
    this.#spareBlock = undefined;
    block.begin();
    return block;
  }

  async #insert(block: SpanBlock, options: WriteOptions): Promise<void> {
    const sql = `INSERT INTO ${this.#table} (${block.columns.join(", ")}) FORMAT Native`;
    const pieces = block.pieces();
    const settings = {
      ...this.#indexSettings,
      // The table's partition key is the day of arrival, which it reads from the beginning of the token.
      insert_deduplication_token: `${dayOf(options.receivedUnixMs ?? Date.now())}/${options.deduplicationToken}`,
      deduplicate_blocks_in_dependent_materialized_views: "1",
      // One block becomes one part with one token. ClickHouse must neither split the block nor merge it with other
      // blocks.
      async_insert: "0",
      max_insert_block_size: String(block.rows + 1),
      min_insert_block_size_rows: String(block.rows),
      min_insert_block_size_bytes: "0",
    };
    const { signal } = options;
    let isRead: boolean;
    try {
      isRead = await this.#schema.run(() => this.#connection.insert(sql, settings, pieces, signal), signal);
    } catch (error) {
      if (this.#indexSettings !== leavingIndexes || !isUnknownSetting(error)) {
        throw error;
      }
      this.#indexSettings = {};
      await this.#insert(block, options);
      return;
    }
    // After a failure, or when a second server was sent the block, a broken call may still read the block. In these
    // cases the block is not reused.
    if (isRead) {
      this.#spareBlock = block;
    }
    this.#onWritten();
  }
}

/** @throws StorageError STORAGE_REFUSED for bytes that are not valid rows */
function addRows(block: SpanBlock, rows: SpanRows): void {
  try {
    block.add(rows);
  } catch (error) {
    if (!(error instanceof WireError)) {
      throw error;
    }
    throw new StorageError("STORAGE_REFUSED", `rows cannot be read: ${error.message}`, { cause: error });
  }
}

function dayOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 10);
}

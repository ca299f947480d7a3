import type { SpanRows } from "wire/rows";

export interface WriteOptions {
  /**
   * Names this very block of rows. A block written again under the same token within the store's window
   * (the last 10,000 blocks) is not stored twice; so a writer repeats a block until it is told of success.
   */
  readonly deduplicationToken: string;
  /**
   * When the rows were taken in, milliseconds since the Unix epoch; the same each time the block is written. The
   * store keeps rows by this day: a block repeated after midnight (UTC) with another day, or without one, may be
   * stored twice. The time of the call by default.
   */
  readonly receivedUnixMs?: number;
  readonly signal?: AbortSignal;
}

/** Rows that are read piece by piece, for blocks larger than one wants in memory as they are. */
export interface SpanRowSource {
  /** Rows in all. */
  readonly count: number;
  /**
   * Whole rows; the same with each call. Once the second piece after one is asked for, its bytes may be others. What it throws
   * ends the write, and is what the writer throws.
   */
  pieces(): AsyncIterable<SpanRows>;
}

/** Writes blocks of spans. Made for few large blocks (tens of thousands of rows), not for many small ones. */
export interface SpanWriter {
  /**
   * Resolves when the rows are durable and searchable. Their bytes must not change before; after a failure they may
   * still be read for a while.
   * @throws StorageError `STORAGE_UNAVAILABLE`, `STORAGE_TIMEOUT`: write the same block again later;
   *   `STORAGE_REFUSED`: the rows themselves are not accepted, repeating is of no use.
   */
  writeSpans(rows: SpanRows, options: WriteOptions): Promise<void>;

  /** As `writeSpans`, from a source; absent where the engine needs all rows at hand. */
  writeSpanSource?(rows: SpanRowSource, options: WriteOptions): Promise<void>;
}

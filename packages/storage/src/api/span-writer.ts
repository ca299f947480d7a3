import type { SpanRows } from "wire/rows";

export interface WriteOptions {
  /**
   * Identifies this block of rows. A block that is written again with the same token is not stored twice, as
   * long as it is among the last 10,000 blocks. So a writer repeats a block until the store confirms it.
   */
  readonly deduplicationToken: string;
  /**
   * When the collector received the rows, in milliseconds since the Unix epoch; the same for each write of
   * the block. The store keeps rows by this day (UTC). A block that is repeated after midnight with another
   * day, or without one, may be stored twice. The default is the time of the call.
   */
  readonly receivedUnixMs?: number;
  /** Gives the write up; rows that the store already took stay. */
  readonly signal?: AbortSignal;
}

/** Rows that are read in pieces, for blocks that are too large for memory. */
export interface SpanRowSource {
  /** Total number of rows. */
  readonly count: number;
  /**
   * Yields complete rows, the same at each call. The bytes of a piece are valid until the second next piece
   * is requested. An exception ends the write, and the writer throws it.
   */
  pieces(): AsyncIterable<SpanRows>;
}

/** Writes blocks of spans. It is made for few large blocks (tens of thousands of rows). */
export interface SpanWriter {
  /**
   * Resolves when the rows are durable and searchable. Their bytes must not change before; after a failure they may
   * still be read for a while.
   * @throws StorageError `STORAGE_UNAVAILABLE`, `STORAGE_TIMEOUT`: write the same block again later;
   *   `STORAGE_REFUSED`: the rows themselves are not accepted, repeating is of no use.
   */
  writeSpans(rows: SpanRows, options: WriteOptions): Promise<void>;

  /** As `writeSpans`, from a source; absent when the engine needs all rows at once. */
  writeSpanSource?(rows: SpanRowSource, options: WriteOptions): Promise<void>;
}

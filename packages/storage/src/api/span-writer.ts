import type { SpanRows } from "wire/rows";

export interface WriteOptions {
  /**
   * Identifies this block of rows. A block that is written again with the same token is not stored twice, if it is one
   * of the last 10,000 blocks. So a writer may repeat a block until the store has confirmed it.
   */
  readonly deduplicationToken: string;
  /**
   * Time at which the collector received the rows, in milliseconds since the Unix epoch; it must be the same at each
   * repetition of the block. The store partitions rows by the day of this time (UTC). A block that is repeated with a
   * different day may be stored twice. The default is the time of the call.
   */
  readonly receivedUnixMs?: number;
  /** Aborts the write. Rows that the store has already accepted stay stored. */
  readonly signal?: AbortSignal;
}

/** Rows that are read in pieces, for blocks that do not fit in memory. */
export interface SpanRowSource {
  /** Total number of rows. */
  readonly count: number;
  /**
   * Yields complete rows, the same at each call. The bytes of a piece stay valid until the caller has requested two
   * further pieces. An exception ends the write, and the writer throws it.
   */
  pieces(): AsyncIterable<SpanRows>;
}

/** Writes blocks of spans. It is made for few large blocks (tens of thousands of rows). */
export interface SpanWriter {
  /**
   * Resolves when the rows are durable and searchable. The caller must not change the bytes before. After a failure,
   * the writer may still read the bytes for a while.
   * @throws StorageError `STORAGE_UNAVAILABLE`, `STORAGE_TIMEOUT`: the caller must write the same block again later;
   * `STORAGE_REFUSED`: the store rejects the rows themselves, so a repetition does not help.
   */
  writeSpans(rows: SpanRows, options: WriteOptions): Promise<void>;

  /** Like `writeSpans`, but reads the rows from a source. Absent when the engine needs all rows at once. */
  writeSpanSource?(rows: SpanRowSource, options: WriteOptions): Promise<void>;
}

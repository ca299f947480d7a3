import type { SpanRowSource, SpanWriter, WriteOptions } from "storage/api";
import type { SpanRows } from "wire/rows/span-rows";
import type { SavedCounts, SaveResult } from "../counts/saved-counts.ts";
import type { JournalSegment, SegmentSource } from "./journal/span-journal.ts";

/** A segment that is being inserted. `write` is repeated until the store has the block. */
export interface SegmentBlock {
  /** Number of rows in the last `write`. */
  readonly rows: number;
  /** @throws StorageError; CollectorError COLLECTOR_JOURNAL_DAMAGED */
  write(writer: SpanWriter, options: WriteOptions): Promise<void>;
  /** Counts the spans of the block after the store has answered. */
  count(counts: SavedCounts, result: SaveResult): Promise<void>;
}

/** A block in memory: for stores that need all rows at once, and for rows that must be checked first. */
export class HeldBlock implements SegmentBlock {
  readonly #segment: JournalSegment;
  #buffer: Buffer | undefined;
  #read: SpanRows | undefined;

  /** @param buffer memory for the first attempt; a failed attempt may still read it */
  constructor(segment: JournalSegment, buffer: Buffer) {
    this.#segment = segment;
    this.#buffer = buffer;
  }

  get rows(): number {
    return this.#read?.count ?? 0;
  }

  async write(writer: SpanWriter, options: WriteOptions): Promise<void> {
    const buffer = this.#buffer ?? Buffer.allocUnsafeSlow(this.#segment.bytes);
    this.#buffer = undefined;
    this.#read = await this.#segment.read(buffer);
    if (this.#read.count > 0) {
      await writer.writeSpans(this.#read, options);
    }
  }

  async count(counts: SavedCounts, result: SaveResult): Promise<void> {
    if (this.#read !== undefined) {
      counts.count(this.#read, result);
    }
  }
}

/** A block whose rows are read in pieces, so it may exceed the memory. */
export class SourceBlock implements SegmentBlock {
  readonly rows: number;
  readonly #source: SegmentSource;

  constructor({ rows }: JournalSegment, source: SegmentSource) {
    this.rows = rows;
    this.#source = source;
  }

  async write(writer: SpanWriter, options: WriteOptions): Promise<void> {
    const rows: SpanRowSource = { count: this.rows, pieces: () => this.#source.pieces() };
    await writer.writeSpanSource?.(rows, options);
  }

  async count(counts: SavedCounts, result: SaveResult): Promise<void> {
    const { services } = this.#source;
    if (services !== undefined) {
      counts.add(services, result);
      return;
    }
    for await (const piece of this.#source.pieces()) {
      counts.count(piece, result);
    }
  }
}

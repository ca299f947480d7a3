import type { SpanRowSource, SpanWriter, WriteOptions } from "storage/api";
import type { SpanRows } from "wire/rows";
import type { JournalSegment, SegmentSource } from "./journal/span-journal.ts";
import type { SavedCounts, SaveResult } from "./saved-counts.ts";

/** A segment on its way to storage; it may be written again until it has got there. */
export interface SegmentBlock {
  /** Rows as far as they are known: those of the last `write`. */
  readonly rows: number;
  /** @throws StorageError; CollectorError COLLECTOR_JOURNAL_DAMAGED */
  write(writer: SpanWriter, options: WriteOptions): Promise<void>;
  count(counts: SavedCounts, result: SaveResult): Promise<void>;
}

/** A block in memory, for storage that needs all rows at hand, and rows that must be looked at first. */
export class HeldBlock implements SegmentBlock {
  readonly #segment: JournalSegment;
  #buffer: Buffer | undefined;
  #read: SpanRows | undefined;

  /** @param buffer for the first attempt: a failed one may still read what it was given */
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
    if (this.#read.count > 0) await writer.writeSpans(this.#read, options);
  }

  async count(counts: SavedCounts, result: SaveResult): Promise<void> {
    if (this.#read !== undefined) counts.count(this.#read, result);
  }
}

/** A block whose rows are read piece by piece: it may be large. */
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
    for await (const piece of this.#source.pieces()) counts.count(piece, result);
  }
}

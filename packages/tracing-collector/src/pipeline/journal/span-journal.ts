import type { SpanRows } from "wire/rows";
import type { CountedRows } from "../../counts/counted-rows.ts";
import type { ServiceCounts } from "../../counts/service-counts.ts";

/**
 * The interface of a journal, on disk or in memory, for receivers and the store's writer. One contract test
 * checks both.
 */
export interface SpanJournal {
  /** Bytes of all kept data. */
  readonly bytes: number;
  /** Number of spans that the store does not have yet. */
  readonly rows: number;
  /** Number of segments that the store does not have yet: open, sealed, or being inserted. */
  readonly segments: number;
  /** True when data that is left at the end of the process is there at the next start. */
  readonly isDurable: boolean;

  /**
   * Keeps a batch, which may be acknowledged when the promise resolves. The bytes are copied before the call
   * returns.
   * @throws CollectorError (always as a rejection) COLLECTOR_JOURNAL_FULL, _BUSY, _DISK, COLLECTOR_TOO_LARGE,
   *   COLLECTOR_STOPPING; then nothing of the batch is kept
   */
  append(rows: CountedRows): Promise<void>;

  /** Resolves with the next sealed segment; undefined when `finish` was called and none is left. */
  take(): Promise<JournalSegment | undefined>;

  /** Removes a segment whose rows the store has, or that is not wanted. */
  remove(segment: JournalSegment): Promise<void>;

  /**
   * Sets aside a segment that the store refuses.
   * @returns its place; undefined when the journal keeps nothing, and the rows are lost
   */
  quarantine(segment: JournalSegment): Promise<string | undefined>;

  /**
   * Reads a damaged segment again, and sets the damaged part aside. Absent when nothing can be damaged.
   * @returns the undamaged part, under the same name; undefined when no part is undamaged
   */
  salvage?(segment: JournalSegment): Promise<JournalSegment | undefined>;

  /** Accepts no more batches, and seals the last segment. `take` then returns the remaining segments. */
  finish(): Promise<void>;

  /** Finishes and closes everything. A durable journal keeps the spans that the store lacks. */
  close(): Promise<void>;
}

/** Rows that are inserted as one block, the same at every reading. */
export interface JournalSegment {
  /** A name for the log. */
  readonly path: string;
  /** Names the block of rows in the store; unique among all collectors. */
  readonly token: string;
  /** When the segment was begun, milliseconds since the Unix epoch. */
  readonly createdUnixMs: number;
  /** Spans in the segment. */
  readonly rows: number;
  /** Bytes that a reading returns. */
  readonly bytes: number;
  /** Bytes that the segment occupies in the journal. */
  readonly keptBytes: number;
  /**
   * Reads all rows. They have counts when all batches were appended with counts.
   * @param buffer at least `bytes` long; the result is a view of it
   * @throws CollectorError COLLECTOR_JOURNAL_DAMAGED when the disk returns other bytes than were written
   */
  read(buffer: Buffer): Promise<CountedRows>;
  /** The same rows in pieces; absent when all rows must be checked first. */
  readonly source?: SegmentSource;
  /** Called by the segment's own journal, which keeps the counts. */
  remove(): Promise<void>;
  /** Called by the segment's own journal, as `remove`. */
  quarantine(): Promise<string | undefined>;
}

/** The rows of a segment in pieces, so that they need not be in memory at once. */
export interface SegmentSource {
  /** All rows by service; undefined when they were not counted. */
  readonly services: ServiceCounts | undefined;
  /**
   * Yields complete rows. The bytes of a piece are valid until the second next piece is requested. A caller
   * that stops early must call `return`, as `for await` does, because a file is open until then.
   * @throws CollectorError COLLECTOR_JOURNAL_DAMAGED when the disk returns other bytes than were written
   */
  pieces(): AsyncIterable<SpanRows>;
}

/** Limits that seal a segment. */
export interface SegmentLimits {
  /** Sealed at this number of rows. */
  readonly segmentRows: number;
  /**
   * Sealed at this size, as if each row had its own prefix, because the store's memory depends on that size.
   */
  readonly segmentBytes: number;
  /**
   * Sealed when its first row is this old, in milliseconds, and a writer is free. See `busySegmentRows` for
   * the exception.
   */
  readonly segmentAgeMs: number;
  /** Largest age while rows arrive fast, in milliseconds; twice `segmentAgeMs` by default. */
  readonly busySegmentAgeMs?: number;
  /**
   * Rows arrive fast when this many come within `segmentAgeMs`. Then a segment may grow older, because fewer
   * and larger blocks cost the store less.
   */
  readonly busySegmentRows: number;
}

/** Limits of a journal. */
export interface JournalLimits {
  /** Most bytes of all segments together. */
  readonly maxBytes: number;
  /** Most spans that wait for the store. 0, the default: any number that fits `maxBytes`. */
  readonly maxRows?: number;
}

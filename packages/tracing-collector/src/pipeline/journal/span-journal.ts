import type { SpanRows } from "wire/rows";
import type { CountedRows } from "../../counts/counted-rows.ts";
import type { ServiceCounts } from "../../counts/service-counts.ts";

/**
 * The interface of a journal for receivers and for the store's writer. The same contract test checks journals on disk
 * and in memory.
 */
export interface SpanJournal {
  /** Bytes of all data in the journal. */
  readonly bytes: number;
  /** Number of spans that the store does not have yet. */
  readonly rows: number;
  /** Number of segments that the store does not have yet: open, sealed, or being inserted. */
  readonly segments: number;
  /** True when data that is left when the process stops is available at the next start. */
  readonly isDurable: boolean;

  /**
   * Stores a batch. It may be acknowledged when the promise resolves. The bytes are copied before the call returns.
   * @throws CollectorError (always as a rejection) COLLECTOR_JOURNAL_FULL, _BUSY, _DISK, COLLECTOR_TOO_LARGE,
   * COLLECTOR_STOPPING; then nothing of the batch is stored
   */
  append(rows: CountedRows): Promise<void>;

  /** Resolves with the next sealed segment; undefined when `finish` was called and no segment is left. */
  take(): Promise<JournalSegment | undefined>;

  /** Removes a segment whose rows the store has, or that is not needed. */
  remove(segment: JournalSegment): Promise<void>;

  /**
   * Moves a segment that the store refuses to quarantine.
   * @returns its new path; undefined when the journal has no quarantine, so that the rows are lost
   */
  quarantine(segment: JournalSegment): Promise<string | undefined>;

  /**
   * Reads a damaged segment again, and moves the damaged part to quarantine. Absent when nothing can be damaged.
   * @returns the undamaged part, with the same name; undefined when no part is undamaged
   */
  salvage?(segment: JournalSegment): Promise<JournalSegment | undefined>;

  /** Accepts no more batches, and seals the last segment. `take` then returns the remaining segments. */
  finish(): Promise<void>;

  /** Finishes and closes everything. A durable journal keeps the spans that the store lacks. */
  close(): Promise<void>;
}

/** Rows that are inserted as one block. Every read returns the same rows. */
export interface JournalSegment {
  /** Path of the segment, for the log. */
  readonly path: string;
  /** Token of the block of rows in the store; unique among all collectors. */
  readonly token: string;
  /** Time at which the segment was begun, in milliseconds since the Unix epoch. */
  readonly createdUnixMs: number;
  /** Spans in the segment. */
  readonly rows: number;
  /** Size of the buffer that `read` needs, in bytes. */
  readonly bytes: number;
  /** Bytes of the segment in the journal. */
  readonly keptBytes: number;
  /**
   * Reads all rows. They have counts if all batches had counts.
   * @param buffer must have at least `bytes`; the result is a view of this buffer
   * @throws CollectorError COLLECTOR_JOURNAL_DAMAGED when the disk returns other bytes than were written
   */
  read(buffer: Buffer): Promise<CountedRows>;
  /** The same rows in pieces. Absent when the segment can only be read as a whole. */
  readonly source?: SegmentSource;
  /** Only the segment's journal calls this, because it also updates its counts. */
  remove(): Promise<void>;
  /** Only the segment's journal calls this, as `remove`. */
  quarantine(): Promise<string | undefined>;
}

/** The rows of a segment in pieces, so that they need not be in memory all at once. */
export interface SegmentSource {
  /** Counts of the rows by service; undefined when they were not counted. */
  readonly services: ServiceCounts | undefined;
  /**
   * Yields complete rows. The bytes of a piece stay valid until the caller requests the second piece after it. A caller
   * that stops early must call `return`, as `for await` does, because a file is open until then.
   * @throws CollectorError COLLECTOR_JOURNAL_DAMAGED when the disk returns other bytes than were written
   */
  pieces(): AsyncIterable<SpanRows>;
}

/** Limits that seal a segment. */
export interface SegmentLimits {
  /** A segment with this many rows is sealed. */
  readonly segmentRows: number;
  /**
   * Size in bytes at which the segment is sealed, counting each row with its full prefix: the store's memory depends on
   * that size.
   */
  readonly segmentBytes: number;
  /**
   * Age of the first row in milliseconds at which the segment is sealed, when a writer is free. See `busySegmentRows`
   * for the exception.
   */
  readonly segmentAgeMs: number;
  /** Maximum age while rows arrive fast, in milliseconds. Default: twice `segmentAgeMs`. */
  readonly busySegmentAgeMs?: number;
  /**
   * Number of rows within `segmentAgeMs` from which on rows count as arriving fast. Then a segment may become older,
   * because fewer and larger blocks cost the store less.
   */
  readonly busySegmentRows: number;
}

/** Limits of a journal's size. */
export interface JournalLimits {
  /** Maximum number of bytes of all segments. A full journal refuses new spans. */
  readonly maxBytes: number;
  /** Maximum number of spans that wait for the store. 0, the default: only `maxBytes` limits them. */
  readonly maxRows?: number;
}

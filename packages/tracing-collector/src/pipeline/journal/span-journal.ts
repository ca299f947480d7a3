import type { SpanRows } from "wire/rows";
import type { CountedRows } from "../counted-rows.ts";
import type { ServiceCounts } from "../service-counts.ts";

/** What receivers and the storage writer see of a journal, on disk or in memory: one contract test holds both to it. */
export interface SpanJournal {
  /** Bytes of all that is kept. */
  readonly bytes: number;
  /** Spans that are not yet in storage. */
  readonly rows: number;
  /** Segments that are not yet in storage: open, sealed or under way. */
  readonly segments: number;
  /** Whether what is left at the end of the process is there at the next start. */
  readonly isDurable: boolean;

  /**
   * Keeps a batch: when the promise resolves, it may be acknowledged. The bytes are copied before the call returns.
   * @throws CollectorError (always as a rejection) COLLECTOR_JOURNAL_FULL, _BUSY, _DISK, COLLECTOR_TOO_LARGE,
   *   COLLECTOR_STOPPING; nothing of the batch is kept then
   */
  append(rows: CountedRows): Promise<void>;

  /** The next sealed segment, as soon as there is one; undefined once `finish` was called and none is left. */
  take(): Promise<JournalSegment | undefined>;

  /** Storage has the rows of this segment, or nobody wants them. */
  remove(segment: JournalSegment): Promise<void>;

  /**
   * Puts a segment that storage refuses out of the way.
   * @returns where it is kept; undefined when nothing keeps it and its rows are lost
   */
  quarantine(segment: JournalSegment): Promise<string | undefined>;

  /**
   * Looks again at a segment that is damaged, and sets the damage aside. Absent where nothing can be damaged.
   * @returns what is whole of it, in its place; undefined where that is nothing
   */
  salvage?(segment: JournalSegment): Promise<JournalSegment | undefined>;

  /** Takes no more batches, and seals the last segment. `take` then hands out what is left. */
  finish(): Promise<void>;

  /** Finishes, and lets go of everything; a durable journal keeps what is not yet in storage. */
  close(): Promise<void>;
}

/** Rows that go to storage as one block, and are the same at every reading. */
export interface JournalSegment {
  /** For the log. */
  readonly path: string;
  /** Names the block of rows in storage; unique among all collectors. */
  readonly token: string;
  /** When the segment was begun, milliseconds since the Unix epoch. */
  readonly createdUnixMs: number;
  readonly rows: number;
  /** Bytes that reading takes. */
  readonly bytes: number;
  /** Bytes that the journal has for it. */
  readonly keptBytes: number;
  /**
   * Reads all rows, with the counts that they were appended with where all batches had some.
   * @param buffer at least `bytes` long; the answer is a view of it
   * @throws CollectorError COLLECTOR_JOURNAL_DAMAGED when something else is there than was written
   */
  read(buffer: Buffer): Promise<CountedRows>;
  /** The same rows, piece by piece; absent where all must be looked at first. */
  readonly source?: SegmentSource;
  /** For the segment's own journal, which knows what to count. */
  remove(): Promise<void>;
  /** As `remove`. */
  quarantine(): Promise<string | undefined>;
}

/** Rows of a segment, piece by piece, so that none takes its size in memory. */
export interface SegmentSource {
  /** All rows by service; undefined where they were not counted. */
  readonly services: ServiceCounts | undefined;
  /**
   * Whole rows; the bytes of a piece are good until the second one after it is asked for. Who stops before the end calls
   * `return`, as `for await` does: a file is open until then.
   * @throws CollectorError COLLECTOR_JOURNAL_DAMAGED when something else is there than was written
   */
  pieces(): AsyncIterable<SpanRows>;
}

/** When a segment takes no more rows. */
export interface SegmentLimits {
  /** It is sealed when it has so many rows … */
  readonly segmentRows: number;
  /** … or bytes, if each row had its own prefix: what storage makes of them goes by that … */
  readonly segmentBytes: number;
  /** … or when its first row is so old, and somebody waits for a segment; but as long as rows come fast … */
  readonly segmentAgeMs: number;
  /** … it may become so old; twice `segmentAgeMs` by default. */
  readonly busySegmentAgeMs?: number;
  /** So many rows within `segmentAgeMs` are fast: fewer, larger blocks cost storage less. */
  readonly busySegmentRows: number;
}

/** How much a journal holds. */
export interface JournalLimits {
  /** Most bytes of all segments together. */
  readonly maxBytes: number;
  /** Most spans that wait for storage; 0, the default, for any number that fits `maxBytes`. */
  readonly maxRows?: number;
}

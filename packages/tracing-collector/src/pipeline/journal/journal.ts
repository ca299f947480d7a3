import { type FileHandle, unlink } from "node:fs/promises";
import type { Logger } from "lifecycle";
import { plainBytesOf } from "wire/rows/span-rows";
import type { CountedRows } from "../../counts/counted-rows.ts";
import { CollectorError } from "../../errors.ts";
import { CommitGroup } from "./commit-group.ts";
import { CommitPace } from "./commit-pace.ts";
import type { FolderLock } from "./folder-lock.ts";
import { JournalRoom } from "./journal-room.ts";
import type { OpenSegment } from "./open-segment.ts";
import type { DropReason, Quarantine, QuarantineLimits } from "./quarantine.ts";
import type { RecoveredSegment } from "./recover-segments.ts";
import { SealedSegment } from "./sealed-segment.ts";
import { SegmentFiles } from "./segment-files.ts";
import { SealedQueue, SegmentAge } from "./segment-sealing.ts";
import type { JournalLimits, SegmentLimits, SpanJournal } from "./span-journal.ts";

/**
 * When an acknowledged batch is on the disk. `always`: before the acknowledgement. `interval`: within a
 * second. A crash of the machine may lose that second; a crash of the process loses nothing. `off`: when the
 * system writes it.
 */
export type JournalSync = "always" | "interval" | "off";

/** Settings of the journal. `maxBytes` includes segments that the store refused, but not copies of damaged ones. */
export interface JournalSettings extends JournalLimits, SegmentLimits {
  /** Folder of the segments; one process may have it open. */
  readonly folder: string;
  readonly sync: JournalSync;
  /** How old quarantined files may become, and how many bytes the copies of damaged segments may have. */
  readonly quarantine?: QuarantineLimits;
}

/** Receives the events that the journal's metrics count. */
export interface JournalObserver {
  /** A write with its sync has ended; it took `durationMs`. */
  committed(durationMs: number): void;
  /** Rows are damaged on the disk. A copy is kept in quarantine, and the store does not get them. */
  damaged?(rows: number): void;
  /** A file was dropped from quarantine. */
  dropped?(reason: DropReason): void;
}

/**
 * Maximum number of bytes of rows, each with its prefix, that wait for the disk. A single larger batch is admitted when
 * nothing else waits.
 */
const maxWaitingBytes = 32 * 1024 * 1024;
const syncIntervalMs = 1_000;
/** Time between two checks for quarantined files that are too old. */
const quarantineLookMs = 600_000;

/** The parts of a journal that `openJournalFolder` makes. */
export interface JournalParts {
  readonly log: Logger;
  /** Lock of the folder, held while the journal is open. */
  readonly lock: FolderLock;
  /** Handle of the folder, to sync the names of new files. */
  readonly folder: FileHandle;
  /** Segments that an earlier process left, the oldest first. */
  readonly segments: readonly SealedSegment[];
  /** Keeps damaged bytes for a person to look at. */
  readonly quarantine: Quarantine;
  /** Saves the good frames of a damaged segment: `salvageSegment`. */
  readonly salvage: (path: string, log: Logger) => Promise<RecoveredSegment>;
}

/**
 * Keeps batches of rows on disk from their acknowledgement until the store has them.
 *
 * One commit runs at a time. Batches that arrive meanwhile form the next group, so one sync serves all
 * waiting senders (group commit). Rows are appended to one open segment. A sealed segment is handed out once
 * by `take`, then removed or quarantined. `openJournalFolder` recovers the segments of a crashed run. Files of removed
 * segments are reused: see `SegmentFiles`.
 *
 * The life of a segment:
 *
 * | State | File | What ends the state |
 * |---|---|---|
 * | open | `TOKEN.segment` | enough rows or bytes, age while a writer waits, a failed write, `finish` |
 * | sealed | `TOKEN.segment` | `take` hands it to a writer |
 * | taken | `TOKEN.segment` | `remove` once the store has its rows, `quarantine`, or the end of the process |
 * | removed | `TOKEN.spare`, or none | the next segment reuses the file |
 * | refused | `quarantine/TOKEN.segment` | the next start, which tries it again |
 *
 * A kill of the process in any state but `removed` leaves complete frames in a `.segment` file, so the next start
 * finds all acknowledged rows. The store may then get a block twice; its token lets the store drop the second copy.
 */
export class Journal implements SpanJournal {
  readonly isDurable = true;
  readonly #settings: JournalSettings;
  readonly #observer: JournalObserver;
  readonly #log: Logger;
  readonly #lock: FolderLock;
  readonly #folder: FileHandle;
  readonly #salvage: JournalParts["salvage"];
  readonly #sealed: SealedQueue<SealedSegment>;
  readonly #syncTimer: NodeJS.Timeout | undefined;
  readonly #quarantine: Quarantine;
  readonly #quarantineTimer: NodeJS.Timeout;
  readonly #age: SegmentAge;
  readonly #room: JournalRoom;
  readonly #files: SegmentFiles;
  /** Group that takes arriving batches. */
  #filling = new CommitGroup();
  /** Group that is being written; the two change places at each commit. */
  #committing = new CommitGroup();
  /** The open segment; undefined until the next commit after a seal. */
  #segment: OpenSegment | undefined;
  /** True from `finish` on: no more batches are admitted. */
  #closing = false;
  /** The error of the last failed write; undefined once a write succeeds. */
  #diskError: unknown;
  /** Present only in a journal that syncs each commit. */
  readonly #pace: CommitPace | undefined;
  /** The timer of `sync: interval` has asked for a sync. */
  #isSyncDue = false;
  /** Something has changed since `#run` last looked. */
  #isDue = false;
  /** Bytes of the files of sealed segments. */
  #storedBytes: number;
  #segmentCount: number;
  /** The loop that commits, seals and syncs; undefined while there is nothing to do. */
  #running: Promise<void> | undefined;

  /** Call `openJournalFolder`, which makes the parts. */
  constructor(
    settings: JournalSettings,
    observer: JournalObserver,
    { log, lock, folder, segments, quarantine, salvage }: JournalParts,
  ) {
    this.#settings = settings;
    this.#observer = observer;
    this.#log = log;
    this.#lock = lock;
    this.#folder = folder;
    this.#salvage = salvage;
    this.#sealed = new SealedQueue(segments);
    this.#segmentCount = segments.length;
    this.#quarantine = quarantine;
    this.#quarantineTimer = setInterval(() => void quarantine.look(), quarantineLookMs).unref();
    this.#age = new SegmentAge(settings, () => this.#wake());
    this.#room = new JournalRoom(settings, rowsOf(segments), log);
    this.#files = new SegmentFiles(settings.folder, settings.sync === "always", settings.maxBytes);
    this.#storedBytes = segments.reduce((sum, { bytes }) => sum + bytes, 0);
    if (settings.sync === "always") {
      this.#pace = new CommitPace();
    }
    if (settings.sync === "interval") {
      this.#syncTimer = setInterval(() => {
        this.#isSyncDue = true;
        this.#wake();
      }, syncIntervalMs).unref();
    }
  }

  /** Bytes on disk, including refused segments, and bytes that wait for the disk. */
  get bytes(): number {
    return this.#fileBytes + this.#filling.bytes + this.#committing.bytes;
  }

  /** The files that are set aside, for metrics. */
  get quarantined(): { readonly files: number; readonly bytes: number } {
    return this.#quarantine;
  }

  /** Bytes of files that are kept for reuse; not part of `bytes`. */
  get spareBytes(): number {
    return this.#files.spareBytes;
  }

  get #fileBytes(): number {
    return this.#storedBytes + this.#quarantine.refusedBytes + (this.#segment?.fileBytes ?? 0);
  }

  /** Number of spans that the store does not have yet. */
  get rows(): number {
    return this.#room.rows;
  }

  /** Number of segments, without those in quarantine. */
  get segments(): number {
    return this.#segmentCount;
  }

  /** Resolves when the rows are as safe as `sync` promises. */
  append(rows: CountedRows): Promise<void> {
    if (rows.count === 0 && !this.#closing) {
      return Promise.resolve();
    }
    try {
      this.#admit(rows);
    } catch (error) {
      return Promise.reject(error);
    }
    const kept = this.#filling.add(rows);
    this.#room.add(rows.count);
    this.#pace?.arrived(this.#filling.batches);
    this.#wake();
    return kept;
  }

  /** @throws CollectorError when the rows are refused */
  #admit(rows: CountedRows): void {
    if (this.#closing) {
      throw new CollectorError("COLLECTOR_STOPPING", "the collector stops");
    }
    const needed = this.bytes + rows.bytes.length;
    if (needed + this.spareBytes > this.#settings.maxBytes) {
      void this.#files.giveUpSpares();
    }
    this.#room.admit(rows, this.bytes);
    if (this.#filling.rows > 0 && this.#filling.plainBytes + plainBytesOf(rows) > maxWaitingBytes) {
      throw new CollectorError(
        "COLLECTOR_JOURNAL_BUSY",
        `${this.#filling.plainBytes} bytes wait for the disk: the limit is ${maxWaitingBytes}`,
      );
    }
  }

  take(): Promise<SealedSegment | undefined> {
    return this.#sealed.take(() => this.#wake());
  }

  async remove(segment: SealedSegment): Promise<void> {
    await segment.remove();
    this.#storedBytes -= segment.keptBytes;
    this.#segmentCount--;
    this.#room.leave(segment.rows, this.bytes);
  }

  /** The segment's bytes still count against the limit. */
  async quarantine(segment: SealedSegment): Promise<string> {
    const path = await segment.quarantine();
    await this.#quarantine.look();
    this.#storedBytes -= segment.keptBytes;
    this.#segmentCount--;
    this.#room.leave(segment.rows, this.bytes);
    return path;
  }

  /** Returns the undamaged frames as a segment. The damaged ones are counted, and kept in quarantine. */
  async salvage(segment: SealedSegment): Promise<SealedSegment | undefined> {
    const { segment: rest } = await this.#salvage(segment.path, this.#log);
    await this.#quarantine.look();
    const lost = segment.rows - (rest?.rows ?? 0);
    if (lost > 0) {
      this.#observer.damaged?.(lost);
      this.#log.error(
        { segment: segment.path, spans: lost },
        "acknowledged spans are damaged in the journal: storage does not get them, what is left of them is kept",
      );
    }
    this.#storedBytes += (rest?.keptBytes ?? 0) - segment.keptBytes;
    if (rest === undefined) {
      this.#segmentCount--;
    }
    this.#room.leave(lost, this.bytes);
    return rest;
  }

  async finish(): Promise<void> {
    this.#closing = true;
    this.#pace?.end();
    this.#wake();
    await this.#running;
    this.#sealed.finish();
  }

  async close(): Promise<void> {
    clearInterval(this.#syncTimer);
    clearInterval(this.#quarantineTimer);
    await this.finish();
    await this.#files.end();
    await this.#folder.close();
    await this.#lock.release();
  }

  /** Starts the loop, or lets the running loop look again. */
  #wake(): void {
    this.#isDue = true;
    this.#running ??= this.#run();
  }

  /**
   * The only place that writes to the open segment. Each turn commits the waiting group, seals a full segment, and
   * runs a due sync. In this order a seal includes the batches that have just arrived.
   */
  async #run(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      // Waits for a later phase of this turn of the event loop, so that batches which arrived together share
      // one sync.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (this.#filling.rows > 0) {
        await this.#pace?.wait(this.#filling.batches);
        await this.#commit();
      }
      if (this.#segment !== undefined && this.#shouldSeal(this.#segment)) {
        await this.#seal(this.#segment);
      }
      if (this.#isSyncDue) {
        await this.#syncLate();
      }
    }
    this.#running = undefined;
  }

  /**
   * Writes the waiting group as one frame and then answers its senders. A failed write refuses the whole group, and the
   * segment takes no more frames, because the place of the file's end is no longer known.
   */
  async #commit(): Promise<void> {
    const group = this.#filling;
    this.#filling = this.#committing;
    this.#committing = group;
    const startMs = performance.now();
    try {
      this.#segment ??= await this.#begin();
      await this.#segment.append(group);
    } catch (error) {
      this.#diskFailed(error);
      await this.#files.giveUpSpares();
      await this.#giveUpSegment();
      this.#room.leave(group.rows, this.#fileBytes);
      group.settle(
        new CollectorError("COLLECTOR_JOURNAL_DISK", `the journal cannot write: ${String(error)}`, {
          cause: error,
        }),
      );
      return;
    }
    if (this.#diskError !== undefined) {
      this.#diskError = undefined;
      this.#log.info("the journal can write again");
    }
    this.#observer.committed(performance.now() - startMs);
    if (!this.#closing) {
      this.#pace?.committed(group.batches, this.#filling.batches);
    }
    group.settle();
  }

  /** Opens the next segment. */
  async #begin(): Promise<OpenSegment> {
    const segment = await this.#files.begin();
    this.#segmentCount++;
    this.#age.begin(segment);
    this.#segment = segment;
    // A new name in the folder is on disk only after a sync of the folder.
    if (this.#settings.sync === "always") {
      await this.#folder.sync();
    }
    return segment;
  }

  /** After a failed write nothing more is written to the file: its good frames are sealed. */
  async #giveUpSegment(): Promise<void> {
    const segment = this.#segment;
    if (segment === undefined) {
      return;
    }
    await segment.cut().catch((error: unknown) => this.#diskFailed(error));
    await this.#seal(segment);
  }

  /** Remembers an error of the disk; the first one is logged, until a write succeeds. */
  #diskFailed(error: unknown): void {
    if (this.#diskError === undefined) {
      this.#log.error({ err: error }, "the journal cannot write: senders are refused until it can");
    }
    this.#diskError = error;
  }

  /**
   * Age alone does not seal a segment while no writer is free to take it, because a busy store works better
   * with larger blocks.
   */
  #shouldSeal({ rows, plainBytes }: OpenSegment): boolean {
    const { segmentRows, segmentBytes } = this.#settings;
    if (rows >= segmentRows || plainBytes >= segmentBytes || this.#closing) {
      return true;
    }
    return this.#age.isOldEnough && this.#sealed.isAwaited;
  }

  /** Closes the open segment, and hands it to a waiting writer or to the queue. An empty segment is deleted. */
  async #seal(segment: OpenSegment): Promise<void> {
    this.#age.end();
    if (this.#settings.sync === "interval") {
      await segment.sync().catch((error: unknown) => this.#diskFailed(error));
    }
    await segment.close().catch((error: unknown) => this.#diskFailed(error));
    this.#segment = undefined;
    const { path, rows, bytes, fileBytes, frames, services } = segment;
    if (rows === 0) {
      this.#segmentCount--;
      await unlink(path).catch((error: unknown) => this.#diskFailed(error));
      return;
    }
    this.#storedBytes += fileBytes;
    const release = () => this.#files.release(path, fileBytes);
    const own = { services, fileBytes, release };
    this.#sealed.put(new SealedSegment(path, { rows, bytes, frames, own }));
  }

  /**
   * Syncs the open segment and the folder for `sync: interval`. A segment whose sync fails is sealed, so that new rows
   * go to another file.
   */
  async #syncLate(): Promise<void> {
    this.#isSyncDue = false;
    try {
      await this.#segment?.sync();
      await this.#folder.sync();
    } catch (error) {
      this.#diskFailed(error);
      await this.#giveUpSegment();
    }
  }
}

function rowsOf(segments: readonly SealedSegment[]): number {
  return segments.reduce((sum, { rows }) => sum + rows, 0);
}

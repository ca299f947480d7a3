import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { SpanRows } from "wire/rows/span-rows";
import type { CountedRows } from "../../counts/counted-rows.ts";
import type { ServiceCounts } from "../../counts/service-counts.ts";
import { CollectorError } from "../../errors.ts";
import type { FrameList } from "./frame-list.ts";
import { FrameReader } from "./frame-reader.ts";
import { segmentSuffix } from "./open-segment.ts";
import { type FrameForm, readSegmentHeader, segmentHeaderBytes } from "./segment-format.ts";
import type { JournalSegment, SegmentSource } from "./span-journal.ts";

/** Folder inside the journal for segments that the store refuses, and for unreadable ones. */
export const quarantineFolder = "quarantine";

/** Data about a segment that only the process that wrote it has. */
export interface OwnSegment {
  /** Counts of the rows by service; undefined when they were not counted. */
  readonly services: ServiceCounts | undefined;
  /** Size of the file in bytes; it may be longer than the frames. */
  readonly fileBytes: number;
  /** Keeps the file for reuse, or deletes it. */
  release(): Promise<void>;
}

/**
 * Time after the write in milliseconds for which checksums are not verified. The file is still in the system's memory,
 * so the read returns the written bytes.
 */
const freshMs = 10_000;
/** Size of the pieces in bytes when rows are sent while they are read. */
const pieceBytes = 1024 * 1024;

interface SealedContents {
  /** Spans in the segment. */
  readonly rows: number;
  /** Size of the header and the complete frames; the file may be longer. */
  readonly bytes: number;
  readonly frames: FrameList;
  /** Data from the process that has just sealed the segment. Undefined for a segment of an earlier run. */
  readonly own?: OwnSegment | undefined;
}

/** A sealed segment gets no more frames: every read returns the same rows. */
export class SealedSegment implements JournalSegment {
  readonly path: string;
  /** Token of the block of rows in the store; unique among all collectors. */
  readonly token: string;
  /** Time at which the segment was begun, in milliseconds since the Unix epoch; the first part of its file name. */
  readonly createdUnixMs: number;
  readonly rows: number;
  /** Bytes of the header and the complete frames. */
  readonly bytes: number;
  /** Bytes of the segment's file. */
  readonly keptBytes: number;
  readonly source: SegmentSource;
  readonly #frames: FrameList;
  readonly #own: OwnSegment | undefined;
  readonly #freshUntilMs: number;

  constructor(path: string, { rows, bytes, frames, own }: SealedContents) {
    this.path = path;
    this.token = basename(path, segmentSuffix);
    this.createdUnixMs = Number.parseInt(this.token, 10) || 0;
    this.rows = rows;
    this.bytes = bytes;
    this.keptBytes = own?.fileBytes ?? bytes;
    this.source = {
      services: own?.services,
      pieces: () => this.#pieces(),
    };
    this.#frames = frames;
    this.#own = own;
    this.#freshUntilMs = performance.now() + freshMs;
  }

  /**
   * Reads all rows.
   * @param buffer must have at least `bytes`; the result is a view of this buffer
   * @throws CollectorError COLLECTOR_JOURNAL_DAMAGED when the disk returns other bytes than were written
   */
  async read(buffer: Buffer): Promise<CountedRows> {
    let length = 0;
    for await (const { bytes } of this.#read(() => buffer.subarray(length))) {
      length += bytes.length;
    }
    return { bytes: buffer.subarray(0, length), count: this.rows, services: this.#own?.services };
  }

  /** Two buffers alternate, so a piece stays valid until the second piece after it is requested. */
  #pieces(): AsyncGenerator<SpanRows, void> {
    let [filled, next] = [Buffer.alloc(0), Buffer.alloc(0)];
    return this.#read((room) => {
      [filled, next] = [next, filled];
      if (filled.length < room) {
        filled = Buffer.allocUnsafeSlow(Math.max(room, pieceBytes));
      }
      return filled;
    });
  }

  /** @param target returns a buffer of at least `room` bytes; if it is larger, more rows are read */
  async *#read(target: (room: number) => Buffer): AsyncGenerator<SpanRows, void> {
    let file: FileHandle | undefined;
    try {
      file = await open(this.path, "r");
      const checks = this.#own === undefined || performance.now() > this.#freshUntilMs;
      if (checks) {
        await expectHeader(file, this.#frames.form);
      }
      const reader = new FrameReader(file, this.#frames, checks);
      while (reader.nextBytes > 0) {
        yield await reader.read(target(reader.nextBytes));
      }
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CollectorError(
        "COLLECTOR_JOURNAL_DAMAGED",
        `segment ${this.path} cannot be read: ${reason}`,
        {
          cause,
        },
      );
    } finally {
      await file?.close();
    }
  }

  remove(): Promise<void> {
    return this.#own?.release() ?? unlink(this.path);
  }

  /** Moves the file into quarantine. @returns its new path */
  async quarantine(): Promise<string> {
    const target = join(dirname(this.path), quarantineFolder, basename(this.path));
    await rename(this.path, target);
    return target;
  }
}

async function expectHeader(file: FileHandle, form: FrameForm): Promise<void> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(segmentHeaderBytes), 0, segmentHeaderBytes, 0);
  const header = readSegmentHeader(buffer.subarray(0, bytesRead));
  if (header.state !== "ours") {
    throw new Error(`its header is ${header.state}`);
  }
  if (header.form.seed !== form.seed) {
    throw new Error("its header is that of another segment");
  }
}

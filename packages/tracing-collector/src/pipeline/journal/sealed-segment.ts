import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { SpanRows } from "wire/rows";
import { CollectorError } from "../../errors.ts";
import type { CountedRows } from "../counted-rows.ts";
import type { ServiceCounts } from "../service-counts.ts";
import type { FrameList } from "./frame-list.ts";
import { FrameReader } from "./frame-reader.ts";
import { segmentSuffix } from "./open-segment.ts";
import { type FrameForm, readSegmentHeader, segmentHeaderBytes } from "./segment-format.ts";
import type { JournalSegment, SegmentSource } from "./span-journal.ts";

/** Folder inside the journal for segments that storage refuses or that cannot be read. */
export const quarantineFolder = "quarantine";

/** What only the process that wrote a segment knows of it. */
export interface OwnSegment {
  /** All rows by service; undefined where they were not counted. */
  readonly services: ServiceCounts | undefined;
  /** Of its file, which may have more behind the frames. */
  readonly fileBytes: number;
  /** Lets go of the file: it is not read any more. */
  release(): Promise<void>;
}

/**
 * For so long after it was written, a segment is read without its checksums: the system still has it in memory, and what
 * it gives is what was written.
 */
const freshMs = 10_000;
/** Of rows that are read as they are sent. */
const pieceBytes = 1024 * 1024;

/** A segment that takes no more frames: its rows are the same at every reading. */
export class SealedSegment implements JournalSegment {
  readonly path: string;
  /** Names its block of rows in storage; unique among all collectors. */
  readonly token: string;
  /** When the segment was begun, milliseconds since the Unix epoch; the first part of its name. */
  readonly createdUnixMs: number;
  readonly rows: number;
  /** Bytes of header and whole frames. */
  readonly bytes: number;
  /** Bytes of the file. */
  readonly keptBytes: number;
  readonly source: SegmentSource;
  readonly #frames: FrameList;
  readonly #own: OwnSegment | undefined;
  readonly #freshUntilMs: number;

  /**
   * @param frames those that are read
   * @param own of a segment that this process has just sealed
   */
  constructor(path: string, rows: number, bytes: number, frames: FrameList, own?: OwnSegment) {
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
   * @param buffer at least `bytes` long; the answer is a view of it
   * @throws CollectorError COLLECTOR_JOURNAL_DAMAGED when the disk gives something else than was written
   */
  async read(buffer: Buffer): Promise<CountedRows> {
    let length = 0;
    for await (const { bytes } of this.#read(() => buffer.subarray(length))) {
      length += bytes.length;
    }
    return { bytes: buffer.subarray(0, length), count: this.rows, services: this.#own?.services };
  }

  /** Two buffers in turn. Of two pieces in a row at least one is large, which is sent before the next is asked for. */
  #pieces(): AsyncGenerator<SpanRows, void> {
    let [filled, next] = [Buffer.alloc(0), Buffer.alloc(0)];
    return this.#read((room) => {
      [filled, next] = [next, filled];
      if (filled.length < room) filled = Buffer.allocUnsafeSlow(Math.max(room, pieceBytes));
      return filled;
    });
  }

  /** @param target gives a place that has room for so many bytes, and takes more rows if it has more */
  async *#read(target: (room: number) => Buffer): AsyncGenerator<SpanRows, void> {
    let file: FileHandle | undefined;
    try {
      file = await open(this.path, "r");
      const checks = this.#own === undefined || performance.now() > this.#freshUntilMs;
      if (checks) await expectHeader(file, this.#frames.form);
      const reader = new FrameReader(file, this.#frames, checks);
      while (reader.nextBytes > 0) yield await reader.read(target(reader.nextBytes));
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

  /** Moves the file out of the way. @returns where it is now */
  async quarantine(): Promise<string> {
    const target = join(dirname(this.path), quarantineFolder, basename(this.path));
    await rename(this.path, target);
    return target;
  }
}

async function expectHeader(file: FileHandle, form: FrameForm): Promise<void> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(segmentHeaderBytes), 0, segmentHeaderBytes, 0);
  const header = readSegmentHeader(buffer.subarray(0, bytesRead));
  if (header.state !== "ours") throw new Error(`its header is ${header.state}`);
  if (header.form.seed !== form.seed) throw new Error("its header is that of another segment");
}

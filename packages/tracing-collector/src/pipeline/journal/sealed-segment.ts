import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CollectorError } from "../../errors.ts";
import type { CountedRows } from "../counted-rows.ts";
import type { ServiceCounts } from "../service-counts.ts";
import { segmentSuffix } from "./open-segment.ts";
import { frameHeaderBytes, headerStateOf, joinPayloads, segmentHeaderBytes } from "./segment-format.ts";
import type { JournalSegment } from "./span-journal.ts";

/** Folder inside the journal for segments that storage refuses or that cannot be read. */
export const quarantineFolder = "quarantine";

/** What only the process that wrote a segment knows of it. */
export interface OwnSegment {
  /** Bytes of each frame, in order. */
  readonly frameBytes: readonly number[];
  /** All rows by service; undefined where they were not counted. */
  readonly services: ServiceCounts | undefined;
}

/**
 * For so long after it was written, a segment is read without its checksums: the system still has it in memory, and what
 * it gives is what was written.
 */
const freshMs = 10_000;
/** Of one read call: half of what systems allow (IOV_MAX), since a frame takes two. */
const framesPerRead = 500;

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
  readonly #own: OwnSegment | undefined;
  readonly #freshUntilMs: number;

  /** @param own of a segment that this process has just sealed */
  constructor(path: string, rows: number, bytes: number, own?: OwnSegment) {
    this.path = path;
    this.token = basename(path, segmentSuffix);
    this.createdUnixMs = Number.parseInt(this.token, 10) || 0;
    this.rows = rows;
    this.bytes = bytes;
    this.#own = own;
    this.#freshUntilMs = performance.now() + freshMs;
  }

  /**
   * Reads all rows.
   * @param buffer at least `bytes` long; the answer is a view of it
   * @throws CollectorError COLLECTOR_JOURNAL_DAMAGED when the disk gives something else than was written
   */
  async read(buffer: Buffer): Promise<CountedRows> {
    let bytes: Buffer;
    try {
      bytes = (await this.#readFresh(buffer)) ?? (await this.#readChecked(buffer.subarray(0, this.bytes)));
    } catch (cause) {
      if (cause instanceof CollectorError) throw cause;
      throw new CollectorError("COLLECTOR_JOURNAL_DAMAGED", `segment ${this.path} cannot be read`, { cause });
    }
    return { bytes, count: this.rows, services: this.#own?.services };
  }

  /**
   * Reads each payload to where it belongs, headers aside.
   * @returns undefined for a segment that is not fresh, or whose frames are not where they were written
   */
  async #readFresh(buffer: Buffer): Promise<Buffer | undefined> {
    if (this.#own === undefined || performance.now() > this.#freshUntilMs) return undefined;
    const { frameBytes } = this.#own;
    const headers = Buffer.allocUnsafe(frameBytes.length * frameHeaderBytes);
    const file = await open(this.path, "r");
    try {
      let position = segmentHeaderBytes;
      let length = 0;
      for (let first = 0; first < frameBytes.length; first += framesPerRead) {
        const targets: Buffer[] = [];
        let wanted = 0;
        for (const [index, bytes] of frameBytes.slice(first, first + framesPerRead).entries()) {
          const header = (first + index) * frameHeaderBytes;
          const end = length + bytes - frameHeaderBytes;
          targets.push(headers.subarray(header, header + frameHeaderBytes), buffer.subarray(length, end));
          length = end;
          wanted += bytes;
        }
        const { bytesRead } = await file.readv(targets, position);
        if (bytesRead !== wanted) return undefined;
        position += wanted;
      }
      const areInPlace = frameBytes.every(
        (bytes, index) => headers.readUInt32LE(index * frameHeaderBytes) === bytes - frameHeaderBytes,
      );
      return areInPlace ? buffer.subarray(0, length) : undefined;
    } finally {
      await file.close();
    }
  }

  async #readChecked(whole: Buffer): Promise<Buffer> {
    const file = await open(this.path, "r");
    try {
      await readWhole(file, whole);
    } finally {
      await file.close();
    }
    const header = headerStateOf(whole);
    const { bytes, scan } = joinPayloads(whole);
    if (header !== "ours" || scan.wholeBytes !== this.bytes || scan.rows !== this.rows) {
      throw new CollectorError(
        "COLLECTOR_JOURNAL_DAMAGED",
        `segment ${this.path} is whole up to byte ${scan.wholeBytes} of ${this.bytes} (header: ${header})`,
      );
    }
    return bytes;
  }

  remove(): Promise<void> {
    return unlink(this.path);
  }

  /** Moves the file out of the way. @returns where it is now */
  async quarantine(): Promise<string> {
    const target = join(dirname(this.path), quarantineFolder, basename(this.path));
    await rename(this.path, target);
    return target;
  }
}

async function readWhole(file: FileHandle, target: Buffer): Promise<void> {
  let done = 0;
  while (done < target.length) {
    const { bytesRead } = await file.read(target, done, target.length - done, done);
    if (bytesRead === 0) throw new Error(`file ends at byte ${done} of ${target.length}`);
    done += bytesRead;
  }
}

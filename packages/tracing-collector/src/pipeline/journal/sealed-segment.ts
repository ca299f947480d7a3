import { open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { SpanRows } from "wire/rows";
import { CollectorError } from "../../errors.ts";
import { segmentSuffix } from "./open-segment.ts";
import { headerStateOf, joinPayloads } from "./segment-format.ts";
import type { JournalSegment } from "./span-journal.ts";

/** Folder inside the journal for segments that storage refuses or that cannot be read. */
export const quarantineFolder = "quarantine";

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

  constructor(path: string, rows: number, bytes: number) {
    this.path = path;
    this.token = basename(path, segmentSuffix);
    this.createdUnixMs = Number.parseInt(this.token, 10) || 0;
    this.rows = rows;
    this.bytes = bytes;
  }

  /**
   * Reads all rows.
   * @param buffer at least `bytes` long; the answer is a view of it
   * @throws CollectorError COLLECTOR_JOURNAL_DAMAGED when the disk gives something else than was written
   */
  async read(buffer: Buffer): Promise<SpanRows> {
    const file = buffer.subarray(0, this.bytes);
    try {
      await readWhole(this.path, file);
    } catch (cause) {
      throw new CollectorError("COLLECTOR_JOURNAL_DAMAGED", `segment ${this.path} cannot be read`, { cause });
    }
    const header = headerStateOf(file);
    const { bytes, scan } = joinPayloads(file);
    if (header !== "ours" || scan.wholeBytes !== this.bytes || scan.rows !== this.rows) {
      throw new CollectorError(
        "COLLECTOR_JOURNAL_DAMAGED",
        `segment ${this.path} is whole up to byte ${scan.wholeBytes} of ${this.bytes} (header: ${header})`,
      );
    }
    return { bytes, count: scan.rows };
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

async function readWhole(path: string, target: Buffer): Promise<void> {
  const file = await open(path, "r");
  try {
    let done = 0;
    while (done < target.length) {
      const { bytesRead } = await file.read(target, done, target.length - done, done);
      if (bytesRead === 0) throw new Error(`file ends at byte ${done} of ${target.length}`);
      done += bytesRead;
    }
  } finally {
    await file.close();
  }
}

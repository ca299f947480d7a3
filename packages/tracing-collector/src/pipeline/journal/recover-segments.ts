import { chmod, copyFile, mkdir, open, readdir, rename, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Logger } from "lifecycle";
import { FrameList } from "./frame-list.ts";
import { mendedHeader } from "./mended-header.ts";
import { segmentSuffix } from "./open-segment.ts";
import { rewriteSegment, rewrittenSuffix } from "./rewrite-segment.ts";
import { type SegmentScan, scanFrames } from "./scan-frames.ts";
import { quarantineFolder, SealedSegment } from "./sealed-segment.ts";
import { spareSuffix } from "./segment-files.ts";
import {
  frameHeaderBytes,
  readSegmentHeader,
  type SegmentHeader,
  seededForm,
  segmentHeaderBytes,
} from "./segment-format.ts";

/** The segments that an earlier run left in the journal folder. */
export interface Leftovers {
  /** Oldest first. */
  readonly segments: readonly SealedSegment[];
  /**
   * Number of rows in damaged frames, according to their headers. A copy is kept in quarantine, and the store does not
   * get them.
   */
  readonly damagedRows: number;
}

/**
 * Reads the segments of an earlier run. Each segment is cut after its last complete frame, and takes no more frames, so
 * that its token always names the same rows. Segments that the store refused are tried again, because a restart is how
 * wrong credentials or an old schema are corrected.
 *
 * Segments of the first layout are rewritten. One segment is in memory at a time, plus one frame of a segment that is
 * rewritten.
 *
 * A kill between any two steps loses nothing:
 *
 * 1. Refused segments move back by a rename, so each file is in one of the two folders.
 * 2. Files that end in `.rewritten` or `.spare` are deleted: a `.rewritten` file still has its original, and the store
 *   has the rows of a `.spare` file.
 * 3. Unreadable bytes are copied to quarantine before a segment is cut; the next start copies them again.
 * 4. A segment is cut before its headers are repaired on disk; both give the same bytes when they are repeated.
 */
export async function recoverSegments(folder: string, log: Logger): Promise<Leftovers> {
  const quarantine = join(folder, quarantineFolder);
  await mkdir(quarantine, { recursive: true });
  for (const name of await namesIn(quarantine, segmentSuffix)) {
    await rename(join(quarantine, name), join(folder, name));
  }
  const segments: SealedSegment[] = [];
  let damagedRows = 0;
  let buffer: Buffer = Buffer.alloc(0);
  for (const suffix of [segmentSuffix + rewrittenSuffix, spareSuffix]) {
    for (const name of await namesIn(folder, suffix)) {
      await unlink(join(folder, name));
    }
  }
  for (const name of await namesIn(folder, segmentSuffix)) {
    const path = join(folder, name);
    const file = await readWhole(path, buffer);
    if (file.length > buffer.length) {
      buffer = file;
    }
    const recovered = await recoverSegment(path, file, log);
    damagedRows += recovered.damagedRows;
    if (recovered.segment !== undefined) {
      segments.push(recovered.segment);
    }
  }
  return { segments, damagedRows };
}

/** One segment after its recovery. */
export interface RecoveredSegment {
  /** The recovered segment. Undefined when no row is readable; then the file was deleted or quarantined. */
  readonly segment: SealedSegment | undefined;
  /** Number of rows in damaged frames, according to their headers. */
  readonly damagedRows: number;
}

/** As `recoverSegments`, for one file. @param path inside the journal's folder */
export async function salvageSegment(path: string, log: Logger): Promise<RecoveredSegment> {
  return await recoverSegment(path, await readWhole(path, Buffer.alloc(0)), log);
}

/**
 * Recovers one file: copies unreadable bytes, cuts the tail, repairs headers, and rewrites an old layout.
 * @param file all bytes of the file; repaired headers are also changed in this buffer
 */
async function recoverSegment(path: string, file: Buffer, log: Logger): Promise<RecoveredSegment> {
  const aside = join(dirname(path), quarantineFolder, basename(path));
  const header = repairedHeader(path, file, log);
  if (header.state === "other-layout") {
    await rename(path, aside);
    log.error(
      { segment: aside, bytes: file.length },
      "a segment of the journal was written by another version with other columns: set aside, not lost",
    );
    return { segment: undefined, damagedRows: 0 };
  }
  const form = header.state === "torn" ? seededForm(0) : header.form;
  const frames = new FrameList(form);
  const noFrames = { rows: 0, wholeBytes: 0, damagedBytes: 0, damages: [], mended: [] };
  const scan: SegmentScan =
    header.state === "torn"
      ? { ...noFrames, isEnded: file.every((byte) => byte === 0) }
      : scanFrames(file, form, (start, bytes, rows) => frames.add(bytes, rows, start));
  const kept = await keepUnreadable(path, file, scan, aside);
  for (const { what, path: keptPath, bytes } of kept) {
    log.error({ segment: path, bytes, kept: keptPath, ...placesOf(scan) }, what);
  }
  const damagedRows = scan.damages.reduce((sum, { rows = 0 }) => sum + rows, 0);
  if (scan.rows === 0) {
    await unlink(path);
    return { segment: undefined, damagedRows };
  }
  await cut(path, scan.wholeBytes, file.length);
  await writeMended(path, file, scan, { isHeaderMended: header.isMended === true, log });
  if (header.state === "ours") {
    return {
      segment: new SealedSegment(path, { rows: scan.rows, bytes: scan.wholeBytes, frames }),
      damagedRows,
    };
  }
  try {
    const rewritten = await rewriteSegment(path, file, frames);
    const segment = new SealedSegment(path, {
      rows: scan.rows,
      bytes: rewritten.bytes,
      frames: rewritten.frames,
    });
    return { segment, damagedRows };
  } catch (error) {
    await rename(path, aside);
    log.error(
      { err: error, segment: aside, bytes: scan.wholeBytes },
      "a segment of an earlier version cannot be rewritten: set aside, and tried again at the next start",
    );
    return { segment: undefined, damagedRows };
  }
}

type RepairedHeader = SegmentHeader & { readonly isMended?: boolean };

/** Reads a file's header. A damaged header is repaired in `file` if it can be derived from the frames. */
function repairedHeader(path: string, file: Buffer, log: Logger): RepairedHeader {
  const header = readSegmentHeader(file);
  const mended = header.state === "torn" ? mendedHeader(file) : undefined;
  if (mended === undefined) {
    return header;
  }
  const changed = mended.findIndex((byte, at) => byte !== file[at]);
  mended.copy(file);
  log.error(
    { segment: path, place: changed },
    "the header of a segment of the journal is damaged: mended, nothing is lost",
  );
  return { state: "ours", form: seededForm(mended.readUInt32LE(16)), isMended: true };
}

interface MendOptions {
  /** True when the header of the file was repaired too, and must be written. */
  readonly isHeaderMended: boolean;
  /** Log for the places that were repaired. */
  readonly log: Logger;
}

/** Writes repaired bytes of `file` to the disk, so that later reads return the repaired bytes. */
async function writeMended(
  path: string,
  file: Buffer,
  { mended }: SegmentScan,
  { isHeaderMended, log }: MendOptions,
): Promise<void> {
  const places: [at: number, bytes: number][] = mended.map((at) => [at, frameHeaderBytes]);
  if (isHeaderMended) {
    places.push([0, segmentHeaderBytes]);
  }
  if (places.length === 0) {
    return;
  }
  const handle = await open(path, "r+");
  try {
    for (const [at, bytes] of places) {
      await handle.write(file, at, bytes, at);
    }
    await handle.datasync();
  } finally {
    await handle.close();
  }
  if (mended.length > 0) {
    log.error(
      { segment: path, places: mended },
      "headers of frames of the journal are damaged: mended, nothing is lost",
    );
  }
}

/** For the log: positions of the damage, and the number of spans in the damaged frames. */
function placesOf({ damages }: SegmentScan): object {
  if (damages.length === 0) {
    return {};
  }
  const spans = damages.reduce((sum, { rows = 0 }) => sum + rows, 0);
  return { places: damages.map(({ start, bytes }) => `${start} to ${start + bytes - 1}`), spans };
}

/** A copy of unreadable bytes. */
interface Kept {
  /** Description of the copied bytes, for the log. */
  readonly what: string;
  readonly path: string;
  readonly bytes: number;
}

/**
 * Copies unreadable parts of a segment into quarantine. An incomplete end usually comes from a crash during a write,
 * and was never acknowledged. But it can also come from a disk that returns wrong bytes.
 * @param file the bytes as read; headers in it may have been repaired
 */
async function keepUnreadable(
  path: string,
  file: Buffer,
  scan: SegmentScan,
  target: string,
): Promise<Kept[]> {
  const kept: Kept[] = [];
  if (scan.damagedBytes > 0) {
    const copy = `${target}.damaged`;
    await copyFile(path, copy);
    await chmod(copy, 0o600);
    const what = "spans of a segment of the journal are damaged: the others are saved, a copy is kept";
    kept.push({ what, path: copy, bytes: file.length });
  }
  if (!scan.isEnded && file.length > segmentHeaderBytes) {
    const tail = file.subarray(scan.wholeBytes);
    const cutPath = `${target}.cut`;
    await writeFile(cutPath, tail, { mode: 0o600 });
    const what =
      "a segment of the journal has a torn tail, as a crash leaves it before the spans are acknowledged: cut and kept";
    kept.push({ what, path: cutPath, bytes: tail.length });
  }
  return kept;
}

/** Files of a folder with this ending, sorted; segments are then oldest first, because names begin with their time. */
async function namesIn(folder: string, suffix: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(suffix)).sort();
}

/** @param buffer reused when it is large enough */
async function readWhole(path: string, buffer: Buffer): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const whole = size <= buffer.length ? buffer.subarray(0, size) : Buffer.allocUnsafeSlow(size);
    let length = 0;
    while (length < size) {
      const { bytesRead } = await file.read(whole, length, size - length, length);
      if (bytesRead === 0) {
        break;
      }
      length += bytesRead;
    }
    return whole.subarray(0, length);
  } finally {
    await file.close();
  }
}

/** Shortens a file to its complete frames, and waits until the disk has the new length. */
async function cut(path: string, wholeBytes: number, bytes: number): Promise<void> {
  if (wholeBytes === bytes) {
    return;
  }
  const file = await open(path, "r+");
  try {
    await file.truncate(wholeBytes);
    await file.datasync();
  } finally {
    await file.close();
  }
}

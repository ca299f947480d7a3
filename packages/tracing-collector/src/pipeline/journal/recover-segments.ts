import { mkdir, open, readdir, rename, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "lifecycle";
import { FrameList } from "./frame-list.ts";
import { segmentSuffix } from "./open-segment.ts";
import { rewriteSegment, rewrittenSuffix } from "./rewrite-segment.ts";
import { quarantineFolder, SealedSegment } from "./sealed-segment.ts";
import { spareSuffix } from "./segment-files.ts";
import {
  readSegmentHeader,
  type SegmentScan,
  scanFrames,
  seededForm,
  segmentHeaderBytes,
} from "./segment-format.ts";

/** What an earlier run left in the journal folder. */
export interface Leftovers {
  /** Oldest first. */
  readonly segments: readonly SealedSegment[];
  /** Bytes of files that stay in quarantine, since they cannot be read. */
  readonly quarantinedBytes: number;
}

/**
 * Reads what an earlier run left: every segment is cut after its last whole frame and takes no more
 * frames, so that its token always names the same rows. Segments that storage refused
 * get another chance, since a restart is how wrong credentials or an old schema are put right.
 *
 * Segments of the first layout are rewritten. One segment is in memory at a time, such a one with a frame of it.
 */
export async function recoverSegments(folder: string, log: Logger): Promise<Leftovers> {
  const quarantine = join(folder, quarantineFolder);
  await mkdir(quarantine, { recursive: true });
  for (const name of await namesIn(quarantine, segmentSuffix)) {
    await rename(join(quarantine, name), join(folder, name));
  }
  const segments: SealedSegment[] = [];
  let quarantinedBytes = 0;
  let buffer: Buffer = Buffer.alloc(0);
  for (const suffix of [segmentSuffix + rewrittenSuffix, spareSuffix]) {
    for (const name of await namesIn(folder, suffix)) await unlink(join(folder, name));
  }
  for (const name of await namesIn(folder, segmentSuffix)) {
    const path = join(folder, name);
    const file = await readWhole(path, buffer);
    if (file.length > buffer.length) buffer = file;
    const header = readSegmentHeader(file);
    if (header.state === "other-layout") {
      await rename(path, join(quarantine, name));
      quarantinedBytes += file.length;
      log.error(
        { segment: join(quarantine, name), bytes: file.length },
        "a segment of the journal was written by another version with other columns: set aside, not lost",
      );
      continue;
    }
    const form = header.state === "torn" ? seededForm(0) : header.form;
    const frames = new FrameList(form);
    const scan =
      header.state === "torn"
        ? { rows: 0, wholeBytes: 0, damagedBytes: 0, isEnded: file.every((byte) => byte === 0) }
        : scanFrames(file, form, (start, bytes, rows) => frames.add(bytes, rows, start));
    const kept = await keepUnreadable(file, scan, join(quarantine, name));
    for (const { what, path: keptPath, bytes } of kept) {
      quarantinedBytes += bytes;
      log.error({ segment: path, bytes, kept: keptPath }, what);
    }
    if (scan.rows === 0) {
      await unlink(path);
      continue;
    }
    await cut(path, scan.wholeBytes, file.length);
    if (header.state === "ours") {
      segments.push(new SealedSegment(path, scan.rows, scan.wholeBytes, frames));
      continue;
    }
    try {
      const rewritten = await rewriteSegment(path, file, frames);
      segments.push(new SealedSegment(path, scan.rows, rewritten.bytes, rewritten.frames));
    } catch (error) {
      await rename(path, join(quarantine, name));
      quarantinedBytes += scan.wholeBytes;
      log.error(
        { err: error, segment: join(quarantine, name), bytes: scan.wholeBytes },
        "a segment of an earlier version cannot be rewritten: set aside, and tried again at the next start",
      );
    }
  }
  return { segments, quarantinedBytes };
}

interface Kept {
  readonly what: string;
  readonly path: string;
  readonly bytes: number;
}

/**
 * Puts what cannot be read of a segment into quarantine. A torn tail is what a crash in the middle of a write leaves,
 * and was never acknowledged; but a disk that gives something else than was written can look the same.
 */
async function keepUnreadable(file: Buffer, scan: SegmentScan, target: string): Promise<Kept[]> {
  const kept: Kept[] = [];
  if (scan.damagedBytes > 0) {
    const path = `${target}.damaged`;
    await writeFile(path, file, { mode: 0o600 });
    const what =
      "spans in the middle of a segment of the journal are damaged: the others are saved, a copy is kept";
    kept.push({ what, path, bytes: file.length });
  }
  if (!scan.isEnded && file.length > segmentHeaderBytes) {
    const tail = file.subarray(scan.wholeBytes);
    const path = `${target}.cut`;
    await writeFile(path, tail, { mode: 0o600 });
    const what =
      "a segment of the journal has a torn tail, as a crash leaves it before the spans are acknowledged: cut and kept";
    kept.push({ what, path, bytes: tail.length });
  }
  return kept;
}

async function namesIn(folder: string, suffix: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(suffix)).sort();
}

/** @param buffer where it goes if it fits */
async function readWhole(path: string, buffer: Buffer): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const whole = size <= buffer.length ? buffer.subarray(0, size) : Buffer.allocUnsafeSlow(size);
    let length = 0;
    while (length < size) {
      const { bytesRead } = await file.read(whole, length, size - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return whole.subarray(0, length);
  } finally {
    await file.close();
  }
}

async function cut(path: string, wholeBytes: number, bytes: number): Promise<void> {
  if (wholeBytes === bytes) return;
  const file = await open(path, "r+");
  try {
    await file.truncate(wholeBytes);
    await file.datasync();
  } finally {
    await file.close();
  }
}

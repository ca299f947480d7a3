import { mkdir, open, readdir, readFile, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "lifecycle";
import { segmentSuffix } from "./open-segment.ts";
import { quarantineFolder, SealedSegment } from "./sealed-segment.ts";
import { headerStateOf, scanFrames } from "./segment-format.ts";

/** What an earlier run left in the journal folder. */
export interface Leftovers {
  /** Oldest first. */
  readonly segments: readonly SealedSegment[];
  /** Bytes of files that stay in quarantine, since this version cannot read them. */
  readonly quarantinedBytes: number;
}

/**
 * Reads what an earlier run left: every segment is cut after its last whole frame (what follows was never
 * acknowledged) and takes no more frames, so that its token always names the same rows. Segments that storage refused
 * get another chance, since a restart is how wrong credentials or an old schema are put right.
 *
 * One segment is in memory at a time.
 */
export async function recoverSegments(folder: string, log: Logger): Promise<Leftovers> {
  const quarantine = join(folder, quarantineFolder);
  await mkdir(quarantine, { recursive: true });
  for (const name of await segmentNames(quarantine)) {
    await rename(join(quarantine, name), join(folder, name));
  }
  const segments: SealedSegment[] = [];
  let quarantinedBytes = 0;
  for (const name of await segmentNames(folder)) {
    const path = join(folder, name);
    const file = await readFile(path);
    const header = headerStateOf(file);
    if (header === "other-layout") {
      await rename(path, join(quarantine, name));
      quarantinedBytes += file.length;
      log.error(
        { segment: join(quarantine, name), bytes: file.length },
        "a segment of the journal was written by another version with other columns: set aside, not lost",
      );
      continue;
    }
    const { rows, wholeBytes } = header === "ours" ? scanFrames(file) : { rows: 0, wholeBytes: 0 };
    if (wholeBytes < file.length) {
      log.warn(
        { segment: path, bytes: file.length - wholeBytes },
        "a segment of the journal has a torn tail: cut, it was never acknowledged",
      );
    }
    if (rows === 0) {
      await unlink(path);
      continue;
    }
    await cut(path, wholeBytes, file.length);
    segments.push(new SealedSegment(path, rows, wholeBytes));
  }
  return { segments, quarantinedBytes };
}

async function segmentNames(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(segmentSuffix)).sort();
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

import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { ByteWriter, fromFirstLayout } from "wire/rows";
import { FrameList } from "./frame-list.ts";
import {
  frameHeaderBytes,
  seededForm,
  segmentBeginning,
  segmentHeaderBytes,
  writeFrameHeader,
} from "./segment-format.ts";

/** Ending of a file that replaces a segment when it is whole; one that is left by a crash is nothing. */
export const rewrittenSuffix = ".rewritten";

/** The file is new, and is not used again. */
const seed = 0;

/** A segment of today's layout. */
export interface RewrittenSegment {
  /** Of the file. */
  readonly bytes: number;
  readonly frames: FrameList;
}

/**
 * Puts a segment of today's layout in the place of one of the first: the same rows under the same name, so that it is the
 * same block to storage. A crash leaves the one or the other.
 * @param file all of the segment
 * @param frames those that are whole: no other is taken
 * @throws WireError for frames that are no rows; an error of the file system. The segment is as it was then.
 */
export async function rewriteSegment(
  path: string,
  file: Buffer,
  frames: FrameList,
): Promise<RewrittenSegment> {
  const target = path + rewrittenSuffix;
  try {
    const handle = await open(target, "w", 0o600);
    let rewritten: RewrittenSegment;
    try {
      rewritten = await writeSegment(handle, file, frames);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(target, path);
    return rewritten;
  } catch (error) {
    await unlink(target).catch(() => {});
    throw error;
  }
}

async function writeSegment(handle: FileHandle, file: Buffer, frames: FrameList): Promise<RewrittenSegment> {
  const out = new ByteWriter();
  const written = new FrameList(seededForm(seed));
  const header = segmentBeginning(seed).subarray(0, segmentHeaderBytes);
  let bytes = header.length;
  await handle.writeFile(header);
  for (let index = 0; index < frames.length; index++) {
    const start = frames.startOf(index);
    out.clear();
    out.zeros(frameHeaderBytes);
    fromFirstLayout(file.subarray(start + frameHeaderBytes, start + frames.bytesOf(index)), out);
    const frame = out.buffer.subarray(0, out.length);
    writeFrameHeader(frame, frames.rowsOf(index), seed);
    await handle.writeFile(frame);
    written.add(frame.length, frames.rowsOf(index));
    bytes += frame.length;
  }
  return { bytes, frames: written };
}

import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { ByteWriter } from "wire/rows/byte-writer";
import { fromFirstLayout } from "wire/rows/from-first-layout";
import { FrameList } from "./frame-list.ts";
import {
  frameHeaderBytes,
  seededForm,
  segmentBeginning,
  segmentHeaderBytes,
  writeFrameHeader,
} from "./segment-format.ts";

/** Ending of a file that replaces a segment once it is complete. After a crash, the next start deletes such a file. */
export const rewrittenSuffix = ".rewritten";

/** A new file that is never reused needs no random seed. */
const seed = 0;

/** A segment of the present layout. */
export interface RewrittenSegment {
  readonly bytes: number;
  readonly frames: FrameList;
}

/**
 * Replaces a segment of the first layout by a segment of the present layout with the same rows and the same name. So
 * the store treats both as the same block. After a crash, one of the two exists.
 * @param file the whole segment
 * @param frames the undamaged frames, which are copied
 * @throws WireError for frames without valid rows; an error of the file system. The segment is then unchanged.
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

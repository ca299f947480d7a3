import type { FileHandle } from "node:fs/promises";
import type { SpanRows } from "wire/rows/span-rows";
import type { FrameList } from "./frame-list.ts";
import { frameHeaderBytes, isFrame } from "./segment-format.ts";

/**
 * Maximum number of frames for one read call: half of the systems' limit (IOV_MAX), because a frame needs two buffers.
 */
const framesPerRead = 500;

/**
 * Reads rows from the frames of a segment into the target buffer. The headers are checked, but do not get into that
 * buffer.
 */
export class FrameReader {
  readonly #file: FileHandle;
  readonly #frames: FrameList;
  /** Seed of the checksums; undefined when checksums are not verified. */
  readonly #seed: number | undefined;
  readonly #headers: Buffer;
  #next = 0;

  /**
   * @param file the caller closes it
   * @param checks true: checksums are verified; lengths always are
   */
  constructor(file: FileHandle, frames: FrameList, checks: boolean) {
    this.#file = file;
    this.#frames = frames;
    this.#seed = checks ? frames.form.seed : undefined;
    this.#headers = Buffer.allocUnsafe(Math.min(frames.length, framesPerRead) * frameHeaderBytes);
  }

  /** Size of the rows in the next frame; 0 after the last frame. */
  get nextBytes(): number {
    return this.#next < this.#frames.length ? this.#frames.bytesOf(this.#next) - frameHeaderBytes : 0;
  }

  /**
   * Reads the rows of the next adjacent frames with one call, as many as fit.
   * @param target must have at least `nextBytes`; the result is a view of its beginning
   * @throws Error when the file does not contain the expected frames
   */
  async read(target: Buffer): Promise<SpanRows> {
    const first = this.#next;
    const position = this.#frames.startOf(first);
    const parts: Buffer[] = [];
    let end = position;
    let length = 0;
    let rows = 0;
    while (this.#next < this.#frames.length && this.#next - first < framesPerRead) {
      const bytes = this.#frames.bytesOf(this.#next);
      const payloadEnd = length + bytes - frameHeaderBytes;
      if (payloadEnd > target.length || this.#frames.startOf(this.#next) !== end) {
        break;
      }
      const header = (this.#next - first) * frameHeaderBytes;
      parts.push(
        this.#headers.subarray(header, header + frameHeaderBytes),
        target.subarray(length, payloadEnd),
      );
      length = payloadEnd;
      end += bytes;
      rows += this.#frames.rowsOf(this.#next++);
    }
    const { bytesRead } = await this.#file.readv(parts, position);
    if (bytesRead !== end - position) {
      throw new Error(`the file ends at byte ${position + bytesRead}`);
    }
    for (let part = 0; part < parts.length; part += 2) {
      const [header, payload] = parts.slice(part, part + 2);
      if (header === undefined || payload === undefined || !isFrame(header, payload, this.#seed)) {
        throw new Error(`what is read from byte ${position} on is not what was written`);
      }
    }
    return { bytes: target.subarray(0, length), count: rows };
  }
}

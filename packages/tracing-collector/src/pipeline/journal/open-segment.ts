import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { segmentHeader } from "./segment-format.ts";

/** Ending of a segment's file name; what stands before it is the segment's token. */
export const segmentSuffix = ".segment";

/** The segment that takes frames now. */
export class OpenSegment {
  readonly path: string;
  readonly #file: FileHandle;
  #bytes: number;
  #rows = 0;

  private constructor(path: string, file: FileHandle, bytes: number) {
    this.path = path;
    this.#file = file;
    this.#bytes = bytes;
  }

  /** A new file whose name sorts after all older ones and is used by no other collector. */
  static async create(folder: string): Promise<OpenSegment> {
    const token = `${String(Date.now()).padStart(14, "0")}-${randomUUID()}`;
    const path = join(folder, token + segmentSuffix);
    const file = await open(path, "wx", 0o600);
    try {
      const header = segmentHeader();
      await writeWhole(file, header, 0);
      return new OpenSegment(path, file, header.length);
    } catch (error) {
      await file.close().catch(() => {});
      await unlink(path).catch(() => {});
      throw error;
    }
  }

  /** Bytes of header and of frames appended whole. */
  get bytes(): number {
    return this.#bytes;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Appends a frame and, where asked, syncs it. On failure the file may have a torn or unwanted tail: see `cut`. */
  async append(frame: Buffer, rows: number, sync: boolean): Promise<void> {
    await writeWhole(this.#file, frame, this.#bytes);
    if (sync) await this.#file.datasync();
    this.#bytes += frame.length;
    this.#rows += rows;
  }

  sync(): Promise<void> {
    return this.#file.datasync();
  }

  /** Takes away what a failed `append` left behind the good frames. */
  cut(): Promise<void> {
    return this.#file.truncate(this.#bytes);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

async function writeWhole(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

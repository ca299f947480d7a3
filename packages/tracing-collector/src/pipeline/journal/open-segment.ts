import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { ServiceCounts } from "../service-counts.ts";
import type { CommitGroup } from "./commit-group.ts";
import { FrameList } from "./frame-list.ts";
import { segmentHeader } from "./segment-format.ts";

/** Ending of a segment's file name; what stands before it is the segment's token. */
export const segmentSuffix = ".segment";

/**
 * Whether O_DSYNC does what `fdatasync` does: one call for write and sync is half of the ways to another thread and back.
 * Other systems have no such flag, or one that stops at the disk's own memory.
 */
const writesCanSync = process.platform === "linux";

/** The segment that takes frames now. */
export class OpenSegment {
  readonly path: string;
  readonly #file: FileHandle;
  /** Whether a sync of its own follows each write. */
  readonly #syncsApart: boolean;
  /** The frames appended whole. */
  readonly frames = new FrameList();
  #bytes: number;
  #rows = 0;
  #services: ServiceCounts | undefined = new ServiceCounts();

  private constructor(path: string, file: FileHandle, bytes: number, syncsApart: boolean) {
    this.#syncsApart = syncsApart;
    this.path = path;
    this.#file = file;
    this.#bytes = bytes;
  }

  /**
   * A new file whose name sorts after all older ones and is used by no other collector.
   * @param isSynced whether what `append` wrote is on the disk when it is done
   */
  static async create(folder: string, isSynced: boolean): Promise<OpenSegment> {
    const token = `${String(Date.now()).padStart(14, "0")}-${randomUUID()}`;
    const path = join(folder, token + segmentSuffix);
    const { O_CREAT, O_EXCL, O_WRONLY, O_DSYNC } = constants;
    const flags = O_CREAT | O_EXCL | O_WRONLY | (isSynced && writesCanSync ? O_DSYNC : 0);
    const file = await open(path, flags, 0o600);
    try {
      const header = segmentHeader();
      await writeWhole(file, header, 0);
      return new OpenSegment(path, file, header.length, isSynced && !writesCanSync);
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

  /** All rows by service; undefined where they were not counted. */
  get services(): ServiceCounts | undefined {
    return this.#services;
  }

  /** Appends a group as one frame. On failure the file may have a torn or unwanted tail: see `cut`. */
  async append(group: Pick<CommitGroup, "frame" | "rows" | "services">): Promise<void> {
    const frame = group.frame();
    await writeWhole(this.#file, frame, this.#bytes);
    if (this.#syncsApart) await this.#file.datasync();
    this.#bytes += frame.length;
    this.frames.add(frame.length, group.rows);
    this.#rows += group.rows;
    if (group.services === undefined) this.#services = undefined;
    else this.#services?.add(group.services);
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

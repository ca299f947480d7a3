import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { ServiceCounts } from "../service-counts.ts";
import type { CommitGroup } from "./commit-group.ts";
import { FrameList } from "./frame-list.ts";
import { endMarkBytes, seededForm, segmentBeginning, segmentHeaderBytes } from "./segment-format.ts";

/** Ending of a segment's file name; what stands before it is the segment's token. */
export const segmentSuffix = ".segment";

/**
 * Whether O_DSYNC does what `fdatasync` does: one call for write and sync is half of the ways to another thread and back.
 * Other systems have no such flag, or one that stops at the disk's own memory.
 */
const writesCanSync = process.platform === "linux";

/** A file whose rows nobody needs any more. */
export interface SpareFile {
  readonly path: string;
  readonly bytes: number;
}

/** The segment that takes frames now. */
export class OpenSegment {
  readonly path: string;
  readonly #file: FileHandle;
  /** Whether a sync of its own follows each write. */
  readonly #syncsApart: boolean;
  /** The frames appended whole. */
  readonly frames: FrameList;
  #bytes = segmentHeaderBytes;
  #fileBytes: number;
  #plainBytes = 0;
  #rows = 0;
  #services: ServiceCounts | undefined = new ServiceCounts();

  private constructor(path: string, file: FileHandle, seed: number, fileBytes: number, syncsApart: boolean) {
    this.#syncsApart = syncsApart;
    this.path = path;
    this.#file = file;
    this.frames = new FrameList(seededForm(seed));
    this.#fileBytes = fileBytes;
  }

  /**
   * A file whose name sorts after all older ones and is used by no other collector.
   * @param isSynced whether what `append` wrote is on the disk when it is done
   * @param seed no earlier segment of the file had it
   * @param spare to be used again: it has blocks and memory, for which a new file asks the system anew. It gets its name
   *   when its header is on the disk, so that rows it had are under no new name at any time. After a failure it is gone.
   */
  static async create(
    folder: string,
    isSynced: boolean,
    seed: number,
    spare?: SpareFile,
  ): Promise<OpenSegment> {
    const token = `${String(Date.now()).padStart(14, "0")}-${randomUUID()}`;
    const path = join(folder, token + segmentSuffix);
    const { O_CREAT, O_EXCL, O_WRONLY, O_DSYNC } = constants;
    const flags = (spare ? 0 : O_CREAT | O_EXCL) | O_WRONLY | (isSynced && writesCanSync ? O_DSYNC : 0);
    const syncsApart = isSynced && !writesCanSync;
    const beginning = segmentBeginning(seed);
    let file: FileHandle | undefined;
    try {
      file = await open(spare?.path ?? path, flags, 0o600);
      await writeWhole(file, beginning, 0);
      if (spare !== undefined) {
        if (syncsApart) await file.datasync();
        await rename(spare.path, path);
      }
      return new OpenSegment(path, file, seed, Math.max(beginning.length, spare?.bytes ?? 0), syncsApart);
    } catch (error) {
      await file?.close().catch(() => {});
      await unlink(spare?.path ?? path).catch(() => {});
      throw error;
    }
  }

  /** Bytes of header and of frames appended whole. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of the file. */
  get fileBytes(): number {
    return this.#fileBytes;
  }

  /** Bytes of its rows if each had its own prefix. */
  get plainBytes(): number {
    return this.#plainBytes;
  }

  get rows(): number {
    return this.#rows;
  }

  /** All rows by service; undefined where they were not counted. */
  get services(): ServiceCounts | undefined {
    return this.#services;
  }

  /** Appends a group as one frame. On failure the file may have a torn or unwanted tail: see `cut`. */
  async append(group: Pick<CommitGroup, "frame" | "plainBytes" | "rows" | "services">): Promise<void> {
    const written = group.frame(this.frames.form.seed);
    await writeWhole(this.#file, written, this.#bytes);
    if (this.#syncsApart) await this.#file.datasync();
    const bytes = written.length - endMarkBytes;
    this.#fileBytes = Math.max(this.#fileBytes, this.#bytes + written.length);
    this.#bytes += bytes;
    this.frames.add(bytes, group.rows);
    this.#plainBytes += group.plainBytes;
    this.#rows += group.rows;
    if (group.services === undefined) this.#services = undefined;
    else this.#services?.add(group.services);
  }

  sync(): Promise<void> {
    return this.#file.datasync();
  }

  /** Takes away what is behind the good frames: what a failed `append` left, and rows of an earlier segment. */
  async cut(): Promise<void> {
    await this.#file.truncate(this.#bytes);
    this.#fileBytes = this.#bytes;
  }

  /** Of a file that is mostly an earlier segment's, what is not needed goes back to the system. */
  async close(): Promise<void> {
    try {
      if (this.#fileBytes > 2 * (this.#bytes + endMarkBytes)) await this.cut();
    } finally {
      await this.#file.close();
    }
  }
}

async function writeWhole(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

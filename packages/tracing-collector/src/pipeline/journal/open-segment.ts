import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { ServiceCounts } from "../../counts/service-counts.ts";
import type { CommitGroup } from "./commit-group.ts";
import { FrameList } from "./frame-list.ts";
import { endMarkBytes, seededForm, segmentBeginning, segmentHeaderBytes } from "./segment-format.ts";

/** Ending of a segment's file name; the part before it is the segment's token. */
export const segmentSuffix = ".segment";

/**
 * True when O_DSYNC does the work of `fdatasync`. One call for write and sync halves the switches to another
 * thread. Other systems lack the flag, or their flag stops at the disk's own cache.
 */
const writesCanSync = process.platform === "linux";

/** A file whose rows nobody needs any more, kept for reuse. */
export interface SpareFile {
  readonly path: string;
  /** Bytes that it already takes on the disk. */
  readonly bytes: number;
}

/** Settings for the frames of a segment. */
interface SegmentOptions {
  /** Initial value of the checksums, so that frames of an earlier segment in the same file are not taken for ours. */
  readonly seed: number;
  /** Bytes that the file takes on the disk already. */
  readonly fileBytes: number;
  /** True when a separate sync must follow each write. */
  readonly syncsApart: boolean;
}

/** The segment that frames are appended to. */
export class OpenSegment {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #syncsApart: boolean;
  /** The frames that were appended completely. */
  readonly frames: FrameList;
  #bytes = segmentHeaderBytes;
  #fileBytes: number;
  #plainBytes = 0;
  #rows = 0;
  #services: ServiceCounts | undefined = new ServiceCounts();

  private constructor(path: string, file: FileHandle, { seed, fileBytes, syncsApart }: SegmentOptions) {
    this.#syncsApart = syncsApart;
    this.path = path;
    this.#file = file;
    this.frames = new FrameList(seededForm(seed));
    this.#fileBytes = fileBytes;
  }

  /**
   * Creates a file whose name sorts after all older ones, and is unique among collectors.
   * @param isSynced whether `append` returns only when its data is on the disk
   * @param seed differs from the seeds of earlier segments in the same file
   * @param spare a file to reuse: it has blocks and memory, which the system would have to find for a new
   *   file. It is renamed when its new header is on the disk, so its old rows never appear under a new name.
   *   After a failure it is deleted.
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
        if (syncsApart) {
          await file.datasync();
        }
        await rename(spare.path, path);
      }
      return new OpenSegment(path, file, {
        seed,
        fileBytes: Math.max(beginning.length, spare?.bytes ?? 0),
        syncsApart,
      });
    } catch (error) {
      await file?.close().catch(() => {});
      await unlink(spare?.path ?? path).catch(() => {});
      throw error;
    }
  }

  /** Size of the header and of the frames that were appended completely. */
  get bytes(): number {
    return this.#bytes;
  }

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

  /** Counts of the rows by service; undefined when they were not counted. */
  get services(): ServiceCounts | undefined {
    return this.#services;
  }

  /**
   * Appends a group as one frame. After a failure the file may end in an incomplete or unwanted frame: see
   * `cut`.
   */
  async append(group: Pick<CommitGroup, "frame" | "plainBytes" | "rows" | "services">): Promise<void> {
    const written = group.frame(this.frames.form.seed);
    await writeWhole(this.#file, written, this.#bytes);
    if (this.#syncsApart) {
      await this.#file.datasync();
    }
    const bytes = written.length - endMarkBytes;
    this.#fileBytes = Math.max(this.#fileBytes, this.#bytes + written.length);
    this.#bytes += bytes;
    this.frames.add(bytes, group.rows);
    this.#plainBytes += group.plainBytes;
    this.#rows += group.rows;
    if (group.services === undefined) {
      this.#services = undefined;
    } else {
      this.#services?.add(group.services);
    }
  }

  sync(): Promise<void> {
    return this.#file.datasync();
  }

  /**
   * Removes the data behind the good frames: the remains of a failed `append`, and rows of an earlier
   * segment.
   */
  async cut(): Promise<void> {
    await this.#file.truncate(this.#bytes);
    this.#fileBytes = this.#bytes;
  }

  /** Closes the file. An unused rest that is larger than the used part is first returned to the system. */
  async close(): Promise<void> {
    try {
      if (this.#fileBytes > 2 * (this.#bytes + endMarkBytes)) {
        await this.cut();
      }
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

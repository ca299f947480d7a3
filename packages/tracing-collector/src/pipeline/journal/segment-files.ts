import { randomInt } from "node:crypto";
import { rename, unlink } from "node:fs/promises";
import { OpenSegment, type SpareFile, segmentSuffix } from "./open-segment.ts";

/** Ending of files that are kept for reuse. The next start deletes such files of a crashed run. */
export const spareSuffix = ".spare";
/** Maximum number of spare files: the number of segments that are inserted concurrently, plus one. */
const maxSpares = 3;
/**
 * Size limit of a spare file as a share of the journal's limit. With the default of 1 GiB, it exceeds the largest
 * segment.
 */
const sparePart = 1 / 8;

/**
 * Creates segment files and releases the files of segments that the store has. When each write is synced, files are
 * reused: overwriting a file needs no new blocks, no new memory in the system, and no change of its size on disk.
 *
 * Only files that this process made are reused, so a counter suffices to give each use of a file another seed. Figures:
 * docs/adr/036-files-used-again.md.
 */
export class SegmentFiles {
  readonly #folder: string;
  readonly #isSynced: boolean;
  readonly #maxSpareBytes: number;
  #spares: SpareFile[] = [];
  /** Number of spares, including files that are becoming spares. */
  #count = 0;
  #isEnded = false;
  #seed = randomInt(2 ** 32);

  /** @param isSynced true: appended data is on the disk when `append` returns; false: no file is reused */
  constructor(folder: string, isSynced: boolean, maxBytes: number) {
    this.#folder = folder;
    this.#isSynced = isSynced;
    this.#maxSpareBytes = maxBytes * sparePart;
  }

  /** Bytes of the files that are kept for reuse. */
  get spareBytes(): number {
    return this.#spares.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Creates the next segment. Its name is on the disk only after a sync of the folder. */
  async begin(): Promise<OpenSegment> {
    const spare = this.#spares.pop();
    if (spare !== undefined) {
      this.#count--;
      try {
        return await OpenSegment.create(this.#folder, this.#isSynced, this.#nextSeed(), spare);
      } catch {
        await this.giveUpSpares();
      }
    }
    return OpenSegment.create(this.#folder, this.#isSynced, this.#nextSeed());
  }

  /** Keeps a file for reuse, or removes it. @param path path of a segment from `begin` */
  async release(path: string, bytes: number): Promise<void> {
    const isKept =
      this.#isSynced && !this.#isEnded && this.#count < maxSpares && bytes <= this.#maxSpareBytes;
    if (!isKept) {
      return unlink(path);
    }
    this.#count++;
    const spare = path.slice(0, -segmentSuffix.length) + spareSuffix;
    try {
      await rename(path, spare);
    } catch (error) {
      this.#count--;
      throw error;
    }
    this.#spares.push({ path: spare, bytes });
    if (this.#isEnded) {
      await this.giveUpSpares();
    }
  }

  /** Deletes the spare files. A file that cannot be deleted now is deleted at the next start. */
  async giveUpSpares(): Promise<void> {
    const spares = this.#spares;
    this.#spares = [];
    this.#count -= spares.length;
    await Promise.all(spares.map(({ path }) => unlink(path).catch(() => {})));
  }

  /** Deletes the spare files, and keeps no more files. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.giveUpSpares();
  }

  #nextSeed(): number {
    this.#seed = (this.#seed + 1) >>> 0;
    return this.#seed;
  }
}

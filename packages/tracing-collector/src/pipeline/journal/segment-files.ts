import { randomInt } from "node:crypto";
import { rename, unlink } from "node:fs/promises";
import { OpenSegment, type SpareFile, segmentSuffix } from "./open-segment.ts";

/** Ending of files that are to be used again; one that a crash leaves is nothing. */
export const spareSuffix = ".spare";
/** As many as storage takes at a time, and one. */
const maxSpares = 3;
/** A spare is at most this part of what the journal may hold: of 1 GiB, the default, more than the largest segment. */
const sparePart = 1 / 8;

/**
 * Begins segments and lets go of those that storage has. Where each write is synced, a file is used again: to write over it
 * needs no new blocks, no new memory of the system's, and no change of its size on the disk.
 *
 * Only files that this process made are used again: so a count is enough for a seed that no file has twice. Figures:
 * docs/adr/036-files-used-again.md.
 */
export class SegmentFiles {
  readonly #folder: string;
  readonly #isSynced: boolean;
  readonly #maxSpareBytes: number;
  #spares: SpareFile[] = [];
  /** Spares, and those that are about to be. */
  #count = 0;
  #isEnded = false;
  #seed = randomInt(2 ** 32);

  /** @param isSynced whether what was appended is on the disk when that is done: otherwise no file is used again */
  constructor(folder: string, isSynced: boolean, maxBytes: number) {
    this.#folder = folder;
    this.#isSynced = isSynced;
    this.#maxSpareBytes = maxBytes * sparePart;
  }

  /** Bytes of files that wait to be used again. */
  get spareBytes(): number {
    return this.#spares.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** The next segment; its name is on the disk after a sync of the folder. */
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

  /** Keeps a file to be used again, or removes it. @param path of a segment that `begin` made */
  async release(path: string, bytes: number): Promise<void> {
    const isKept =
      this.#isSynced && !this.#isEnded && this.#count < maxSpares && bytes <= this.#maxSpareBytes;
    if (!isKept) return unlink(path);
    this.#count++;
    const spare = path.slice(0, -segmentSuffix.length) + spareSuffix;
    try {
      await rename(path, spare);
    } catch (error) {
      this.#count--;
      throw error;
    }
    this.#spares.push({ path: spare, bytes });
    if (this.#isEnded) await this.giveUpSpares();
  }

  /** Gives their room back. A file that cannot be removed now is removed at the next start. */
  async giveUpSpares(): Promise<void> {
    const spares = this.#spares;
    this.#spares = [];
    this.#count -= spares.length;
    await Promise.all(spares.map(({ path }) => unlink(path).catch(() => {})));
  }

  /** Keeps none any more. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.giveUpSpares();
  }

  #nextSeed(): number {
    this.#seed = (this.#seed + 1) >>> 0;
    return this.#seed;
  }
}

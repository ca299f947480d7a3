import { lstat, opendir, rm } from "node:fs/promises";
import { textOfBuffer } from "server-core/uri/text-of-bytes";
import { pathBytes } from "../../files/path-bytes.ts";
import { joinSitePath } from "../../files/site-path.ts";
import { isRemovable } from "./share.ts";

/**
 * Milliseconds after the last change of a hidden file until it counts as left over. Another process may write to the
 * same folder, and a slow upload must not lose its file.
 */
const leftoverAgeMs = 24 * 3_600_000;
/** Milliseconds between two searches of one folder. */
const searchAgainMs = 3_600_000;
/** Maximum number of folders whose last search is remembered; the oldest is forgotten, and searched again. */
const maxFolders = 1_000;
/** Maximum number of entries of a folder that a search looks at. */
const maxEntries = 100_000;

/** Removes hidden files that a killed process left, when their folder is written to again. */
export class Leftovers {
  readonly #now: () => number;
  /** Time of the last search by folder, oldest first. */
  readonly #searched = new Map<string, number>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Removes the leftovers of one folder. It never fails. */
  async removeFrom(folder: string): Promise<void> {
    const now = this.#now();
    const last = this.#searched.get(folder);
    if (last !== undefined && now - last < searchAgainMs) {
      return;
    }
    this.#note(folder, now);
    try {
      let count = 0;
      for await (const entry of await opendir(pathBytes(folder), { encoding: "buffer" as BufferEncoding })) {
        const name = textOfBuffer(entry.name as unknown as Buffer);
        if (isRemovable(name)) {
          await this.#removeOld(joinSitePath(folder, name), now);
        }
        count++;
        if (count >= maxEntries) {
          return;
        }
      }
    } catch {
      // The write that follows reports a folder that cannot be read.
    }
  }

  async #removeOld(path: string, now: number): Promise<void> {
    // Unlike the time of the last write, this time cannot be set by a program.
    const { ctimeMs } = await lstat(pathBytes(path));
    if (now - ctimeMs > leftoverAgeMs) {
      await rm(pathBytes(path), { recursive: true, force: true });
    }
  }

  #note(folder: string, now: number): void {
    this.#searched.delete(folder);
    this.#searched.set(folder, now);
    const [oldest] = this.#searched.keys();
    if (this.#searched.size > maxFolders && oldest !== undefined) {
      this.#searched.delete(oldest);
    }
  }
}

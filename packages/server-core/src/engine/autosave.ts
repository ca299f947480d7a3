import { closeSync, constants, fsync, open, openSync, write } from "node:fs";
import { readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { removeLeftovers, temporaryPath } from "../files/leftovers.ts";
import { inPrivateFolder } from "../files/private-file.ts";
import { type CheckedText, readChecked, withChecksum } from "../files/text-checksum.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Name of the product in folders; Caddy uses another name. */
const productFolder = "server";

/**
 * Path of the file with the last config: `$XDG_CONFIG_HOME/server/autosave.json`, else
 * `$HOME/.config/server/autosave.json`. Source: Caddy 2.11, seen running
 */
export function autosavePath(environment: Environment): string {
  const base = environment.XDG_CONFIG_HOME || join(environment.HOME || ".", ".config");
  return join(base, productFolder, "autosave.json");
}

// File descriptors instead of handles, because only a descriptor can be closed synchronously. An asynchronous operation
// is a trip to another thread and back, which costs a change more than the disk does. So closing a file and opening a
// known folder are synchronous; `fsync` is asynchronous.
const openFile = promisify(open);
const writeFile = promisify(write);
const sync = promisify(fsync);

/**
 * True when a write itself can wait until the data is on disk, without a later `fsync`. Other platforms lack `O_SYNC`,
 * or guarantee less for it.
 */
const writesThrough = process.platform === "linux";

const flags =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (writesThrough ? constants.O_SYNC : 0);

/** Writes all bytes and waits until they are on disk. @throws the file system's error */
async function writeToDisk(file: number, bytes: Uint8Array): Promise<void> {
  for (let start = 0; start < bytes.length; ) {
    const { bytesWritten } = await writeFile(file, bytes, start);
    start += bytesWritten;
  }
  if (!writesThrough) {
    await sync(file);
  }
}

/** A text that is synced to disk in a temporary file, beside the file that it will replace. */
export interface StagedSave {
  /** Replaces the previous save with this one. Resolves when the change is on disk. @throws the file system's error */
  commit(): Promise<void>;
  /** Removes the file. @throws the file system's error */
  discard(): Promise<void>;
}

/** Stores the last acknowledged config, so that `run --resume` starts with it after any crash. */
export class Autosave {
  readonly path: string;
  /** Resolves when files that earlier processes left behind were removed. */
  #cleared: Promise<void> | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Writes a temporary file and syncs it, which is nearly all of the cost, while other participants may still refuse
   * the config. `commit` then renames the file and syncs the folder, so after a crash the old file or the new file is
   * complete. The mode is 0600, because a config may contain secrets. Only one file may be staged at a time.
   * @param text text, or a promise of the text; the file is created while the promise is pending
   * @throws errors of the file system, and the error with which `text` rejects
   */
  async stage(text: Uint8Array | Promise<Uint8Array>): Promise<StagedSave> {
    const path = this.path;
    const coming = Promise.resolve(text);
    coming.catch(() => {}); // awaited below, unless opening the file fails first
    const cleared = this.#clear();
    const temporary = temporaryPath(path);
    const file = await inPrivateFolder(temporary, () => openFile(temporary, flags, 0o600));
    const discard = () => rm(temporary);
    try {
      await writeToDisk(file, withChecksum(await coming));
      await cleared;
    } catch (error) {
      await discard().catch(() => {});
      throw error;
    } finally {
      closeSync(file);
    }
    return {
      async commit() {
        await rename(temporary, path);
        const folder = openSync(dirname(path), "r");
        try {
          await sync(folder);
        } finally {
          closeSync(folder);
        }
      },
      discard,
    };
  }

  #clear(): Promise<void> {
    this.#cleared ??= removeLeftovers(this.path);
    return this.#cleared;
  }

  /** Saves immediately. @throws the file system's error */
  async write(text: string): Promise<void> {
    const staged = await this.stage(Buffer.from(text));
    await staged.commit();
  }

  /**
   * Renames the file, so that the next start does not read it. @returns its new path @throws the file system's error
   */
  async setAside(): Promise<string> {
    const kept = `${this.path}.damaged`;
    await rename(this.path, kept);
    return kept;
  }

  /** The text last written; undefined when there is no file. @throws the file system's error */
  async read(): Promise<CheckedText | undefined> {
    await this.#clear();
    try {
      return readChecked(await readFile(this.path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") {
        return undefined;
      }
      throw error;
    }
  }
}

import { closeSync, constants, fsync, open, openSync, write } from "node:fs";
import { readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { removeLeftovers, temporaryPath } from "../files/leftovers.ts";
import { inPrivateFolder } from "../files/private-file.ts";
import { type CheckedText, readChecked, withChecksum } from "../files/text-checksum.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The product's name in folders; the public model uses its own. */
const productFolder = "server";

/**
 * Where the last config is kept: `$XDG_CONFIG_HOME/server/autosave.json`, else `$HOME/.config/server/autosave.json`.
 * Source: the public model (Caddy 2.11), seen running
 */
export function autosavePath(environment: Environment): string {
  const base = environment.XDG_CONFIG_HOME || join(environment.HOME || ".", ".config");
  return join(base, productFolder, "autosave.json");
}

// Descriptors instead of handles: each file operation is a trip to another thread and back, which costs a
// change more than the disk does. Operations that only close, or open a known folder, run synchronously.
const openFile = promisify(open);
const writeFile = promisify(write);
const sync = promisify(fsync);

/**
 * Whether a write itself can wait for the disk, as `fsync` after it would. Other platforms lack the flag or
 * mean less by it.
 */
const writesThrough = process.platform === "linux";

const flags =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (writesThrough ? constants.O_SYNC : 0);

/** Writes the whole and waits until it is on disk. @throws the file system's error */
async function writeToDisk(file: number, bytes: Uint8Array): Promise<void> {
  for (let start = 0; start < bytes.length; ) {
    const { bytesWritten } = await writeFile(file, bytes, start);
    start += bytesWritten;
  }
  if (!writesThrough) {
    await sync(file);
  }
}

/** A text that is on disk, synced, beside the one that it is to replace. */
export interface StagedSave {
  /** Replaces the last save by this one. Resolves when the change is on disk. @throws the file system's error */
  commit(): Promise<void>;
  /** Removes the file. @throws the file system's error */
  discard(): Promise<void>;
}

/** Keeps the last config that was acknowledged, so that `run --resume` starts with it after any crash. */
export class Autosave {
  readonly path: string;
  /** Resolves when files that earlier processes left behind are removed. */
  #cleared: Promise<void> | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Writes a second file and syncs it, which is nearly all of the cost, before it is known whether the text
   * stays. `commit` then renames it and syncs the folder, so after a crash either file is complete. Mode
   * 0600, because a config may contain secrets. One at a time.
   * @param text may be on its way; the file is made meanwhile
   * @throws the file system's error; what `text` rejects with
   */
  async stage(text: Uint8Array | Promise<Uint8Array>): Promise<StagedSave> {
    const path = this.path;
    const coming = Promise.resolve(text);
    coming.catch(() => {}); // awaited below, unless there is no file for it
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

  /** Saves at once. @throws the file system's error */
  async write(text: string): Promise<void> {
    const staged = await this.stage(Buffer.from(text));
    await staged.commit();
  }

  /** Renames the file, so that a start does not read it. @returns its new path @throws the file system's error */
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

import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createPrivateFile } from "../files/private-file.ts";

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

/** A text that is on disk, synced, beside the one that it is to replace. */
export interface StagedSave {
  /** Puts it in the place of the last one; when that is on disk too, this resolves. @throws the file system's error */
  commit(): Promise<void>;
  /** Takes it away again. @throws the file system's error */
  discard(): Promise<void>;
}

/** Keeps the last config that was acknowledged, so that `run --resume` starts with it after any crash. */
export class Autosave {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Writes beside and syncs: nearly all that saving costs, done before it is known whether the text is to stay. What
   * `commit` has left is to rename and to sync the folder: after a crash there is the old file or the new one, whole.
   * Mode 0600, because a config may hold secrets. One at a time. @throws the file system's error
   */
  async stage(text: string): Promise<StagedSave> {
    const path = this.path;
    const folder = dirname(path);
    const temporary = `${path}.${process.pid}.tmp`;
    const file = await createPrivateFile(temporary);
    const opening = open(folder, "r");
    opening.catch(() => {}); // awaited below
    try {
      await file.writeFile(text);
      await file.sync();
    } catch (error) {
      await Promise.allSettled([file.close(), opening.then((handle) => handle.close())]);
      throw error;
    }
    // What is synced needs no waiting for the end of a handle.
    const closing = file.close();
    closing.catch(() => {});
    const folderHandle = await opening;
    return {
      async commit() {
        try {
          await rename(temporary, path);
          await folderHandle.sync();
        } finally {
          folderHandle.close().catch(() => {});
        }
      },
      async discard() {
        await Promise.all([folderHandle.close(), closing.then(() => rm(temporary))]);
      },
    };
  }

  /** Saves at once. @throws the file system's error */
  async write(text: string): Promise<void> {
    const staged = await this.stage(text);
    await staged.commit();
  }

  /** The bytes last written; undefined when there are none. @throws the file system's error */
  async read(): Promise<Uint8Array | undefined> {
    try {
      return await readFile(this.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") {
        return undefined;
      }
      throw error;
    }
  }
}

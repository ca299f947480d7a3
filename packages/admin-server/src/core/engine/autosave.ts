import { type FileHandle, mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";

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

/** Opens a file for writing. The folder is made when it is not there, which it nearly always is. */
async function openInFolder(folder: string, path: string): Promise<FileHandle> {
  const openFile = () => open(path, "w", 0o600);
  try {
    return await openFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
      throw error;
    }
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return openFile();
  }
}

/** Keeps the last config that was acknowledged, so that `run --resume` starts with it after any crash. */
export class Autosave {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Writes beside, syncs, renames, syncs the folder: after a crash there is the old file or the new one, whole.
   * Mode 0600, because a config may hold secrets. @throws the file system's error
   */
  async write(text: string): Promise<void> {
    const folder = dirname(this.path);
    const temporary = `${this.path}.${process.pid}.tmp`;
    const file = await openInFolder(folder, temporary);
    try {
      await file.chmod(0o600);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, this.path);
    const folderHandle = await open(folder, "r");
    try {
      await folderHandle.sync();
    } finally {
      await folderHandle.close();
    }
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

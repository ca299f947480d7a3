import type { Stats } from "node:fs";
import { chmod, type FileHandle, mkdir, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type OldFileRules, oldFileName, tidyOldFiles } from "./old-log-files.ts";
import { openForAppending } from "./open-for-appending.ts";
import { nextRoll, type RollSchedule } from "./roll-schedule.ts";

/** Counts threads that append, so that a renamed file is not compressed while a thread still writes to it. */
export interface AppendGate {
  /** Must be called before an append. @returns a function that must be called after the append */
  enter(): () => void;
  /** Resolves when all threads that had entered before the call have left. The calling thread must have left before. */
  settle(): Promise<void>;
}

export interface RollingFileOptions {
  readonly path: string;
  /** Mode of a new file. The mode of an existing file is changed only with `setMode`. */
  readonly mode: number;
  /** True: an existing file also gets the configured mode. */
  readonly setMode: boolean;
  /**
   * Mode of created folders. `inherit`: the mode of the parent folder. `from_file`: derived from the mode of the file.
   */
  readonly folderMode: number | "inherit" | "from_file";
  /** Size in bytes from which the file is rolled; 0: the size never causes a roll. */
  readonly maxBytes: number;
  /** Times at which the file is rolled, whatever its size. */
  readonly schedule: RollSchedule;
  readonly rules: OldFileRules;
  /** Runs `work` unless another thread is rolling the file. */
  readonly exclusively: (work: () => Promise<void>) => Promise<void>;
  readonly appending: AppendGate;
  /** Called for failures of rolling; writing then continues with the old file. */
  readonly onError: (error: unknown) => void;
}

const maxNameAttempts = 1000;

async function nearestMode(folder: string): Promise<number> {
  try {
    return (await stat(folder)).mode & 0o777;
  } catch {
    const above = dirname(folder);
    return above === folder ? 0o700 : nearestMode(above);
  }
}

/**
 * Creates a folder and its parents. Node's `recursive` is not used: it never ends on file systems that cannot create
 * folders (`/proc`).
 * @throws the error of the folder that cannot be created
 */
async function makeFolder(folder: string, mode: number): Promise<void> {
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const above = dirname(folder);
    if (code === "EEXIST") {
      return;
    }
    if (code !== "ENOENT" || above === folder || (await isFolder(above))) {
      throw error;
    }
    await makeFolder(above, mode);
    await mkdir(folder, { mode }).catch((again: NodeJS.ErrnoException) => {
      if (again.code !== "EEXIST") {
        throw again;
      }
    });
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** A name that no file has, compressed or not. A name contains the time, so a later attempt can give another name. */
async function freeName(makeName: () => string): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    const name = makeName();
    const taken = await Promise.all([name, `${name}.gz`, `${name}.zst`].map(exists));
    if (!taken.includes(true)) {
      return name;
    }
    if (attempt === maxNameAttempts) {
      throw new Error(`no free name for ${name}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

/**
 * A log file that several threads append to. Each thread appends complete lines in one call, so lines do not mix. The
 * thread that finds the file too large renames it. The other threads notice that the name belongs to a new file, and
 * open that file.
 */
export class RollingFile {
  readonly #options: RollingFileOptions;
  #handle: FileHandle | undefined;
  #inode = 0;
  #nextRollMs: number;
  #tidying: Promise<void> | undefined;

  constructor(options: RollingFileOptions) {
    this.#options = options;
    this.#nextRollMs = nextRoll(options.schedule, Date.now());
  }

  /** @throws the error of a file that cannot be opened for writing */
  async open(): Promise<Stats> {
    const { path, mode, setMode, folderMode } = this.#options;
    const folder = dirname(path);
    const made =
      folderMode === "inherit"
        ? await nearestMode(folder)
        : folderMode === "from_file"
          ? mode | ((mode & 0o444) >> 2)
          : folderMode;
    await makeFolder(folder, made);
    const handle = await openForAppending(path, mode);
    const stats = await handle.stat();
    if (setMode && (stats.mode & 0o777) !== mode) {
      await chmod(path, mode);
    }
    await this.#handle?.close();
    this.#handle = handle;
    this.#inode = stats.ino;
    return stats;
  }

  async append(lines: Buffer): Promise<void> {
    await this.#rollIfDue(lines.length);
    const leave = this.#options.appending.enter();
    try {
      await this.#current();
      await this.#handle?.appendFile(lines);
    } finally {
      leave();
    }
  }

  async #rollIfDue(length: number): Promise<void> {
    const stats = await this.#current();
    const now = Date.now();
    const { maxBytes } = this.#options;
    if (maxBytes > 0 && stats.size > 0 && stats.size + length > maxBytes) {
      await this.#roll("size");
    } else if (now >= this.#nextRollMs) {
      this.#nextRollMs = nextRoll(this.#options.schedule, now);
      if (stats.size > 0) {
        await this.#roll("time");
      }
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
    await this.#tidying;
  }

  /** Status of the open file. If the path now belongs to another file, that file is opened first. */
  async #current(): Promise<Stats> {
    const { path } = this.#options;
    const found = await stat(path).catch(() => undefined);
    if (this.#handle !== undefined && found?.ino === this.#inode) {
      return found;
    }
    return this.open();
  }

  async #roll(reason: "size" | "time"): Promise<void> {
    const { path, rules, exclusively, appending, onError } = this.#options;
    await exclusively(async () => {
      // After another thread has renamed the file, the path does not exist until a thread creates a new file.
      const found = await stat(path).catch(() => undefined);
      if (found?.ino === this.#inode) {
        const old = await freeName(() => oldFileName(path, new Date(), reason, rules));
        await rename(path, old);
        await appending.settle();
        const before = this.#tidying;
        this.#tidying = (async () => {
          await before;
          await tidyOldFiles(path, old, rules);
        })().catch(onError);
      }
    });
  }
}

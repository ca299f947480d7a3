import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { folderError, StartError } from "lifecycle";

/** A data folder that this process holds. Everything below it belongs to this process alone. */
export interface DataFolder {
  readonly path: string;
  /** The engine's own files. */
  readonly enginePath: string;
  readonly configPath: string;
  /** Bodies of inserts under way; emptied at every start. */
  readonly spoolPath: string;
  release(): void;
}

function commandLineOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return undefined;
  }
}

/** Whether the process that wrote the lock still runs; its number may long belong to another program. */
function isHeld(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) {
    return false;
  }
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") {
      return false;
    }
  }
  const commandLine = commandLineOf(pid);
  return commandLine === undefined || commandLine.includes("tracing-storage");
}

function takeLock(path: string, lockPath: string): void {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(lockPath, `${process.pid}\n`, { flag: "wx" });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
        throw error;
      }
      const pid = Number(readFileSync(lockPath, "utf8"));
      if (isHeld(pid)) {
        throw new StartError(
          `data folder ${path} is in use by process ${pid}: stop it, or give another --storage.data-dir`,
        );
      }
      rmSync(lockPath, { force: true });
    }
  }
  throw new StartError(`data folder ${path} is being opened by another process at this moment`);
}

/**
 * Creates the folder if need be, checks that it can be written, takes its lock (a file with our process number;
 * one left by a killed process is taken over) and empties the spool.
 * @throws StartError in one line
 */
export function openDataFolder(folder: string): DataFolder {
  const path = resolve(folder);
  const lockPath = join(path, "lock");
  const spoolPath = join(path, "spool");
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    takeLock(path, lockPath);
    mkdirSync(spoolPath, { recursive: true });
    for (const name of readdirSync(spoolPath)) {
      rmSync(join(spoolPath, name), { recursive: true, force: true });
    }
  } catch (error) {
    throw error instanceof StartError
      ? error
      : folderError(error, "the data folder", path, "storage.data-dir");
  }
  return {
    path,
    enginePath: join(path, "engine"),
    configPath: join(path, "config"),
    spoolPath,
    release: () => rmSync(lockPath, { force: true }),
  };
}

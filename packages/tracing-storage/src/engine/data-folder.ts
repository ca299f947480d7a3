import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { folderError, StartError } from "lifecycle";
import { checkFolderVersion } from "./folder-version.ts";
import type { MendedFile } from "./metadata-copy.ts";

/** A data folder that this process has locked. No other process may use the files in it. */
export interface DataFolder {
  readonly path: string;
  /** Folder with the engine's own files. */
  readonly enginePath: string;
  readonly configPath: string;
  /** Folder for bodies of running inserts; emptied at every start. */
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

/** True when the process whose number is in the lock still runs. The number may belong to another program by now. */
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

/** Spans may contain secrets, so only the user of this process may read them. */
const privateMode = 0o700;

/** Changes the mode even if another program created the folder with access for all users. */
function makePrivate(path: string): void {
  mkdirSync(path, { recursive: true, mode: privateMode });
  chmodSync(path, privateMode);
}

/**
 * Creates the folder if necessary, refuses a folder of a newer version, checks that it is writable, locks it, and
 * empties the spool. The lock is a file with the number of this process; if the process in a lock was killed, its lock
 * is replaced. Only our user can read the files in the folder.
 * @param engineVersion version of the engine that will use the folder
 * @param onMended called for a damaged version file that was moved away
 * @throws StartError when one of these steps fails
 */
export function openDataFolder(
  folder: string,
  engineVersion: string,
  onMended: (file: MendedFile) => void = () => {},
): DataFolder {
  const path = resolve(folder);
  const lockPath = join(path, "lock");
  const spoolPath = join(path, "spool");
  const enginePath = join(path, "engine");
  const configPath = join(path, "config");
  try {
    if (existsSync(path)) {
      checkFolderVersion(path, engineVersion, onMended);
    }
    mkdirSync(path, { recursive: true, mode: privateMode });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    takeLock(path, lockPath);
    for (const part of [enginePath, configPath, spoolPath]) {
      makePrivate(part);
    }
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
    enginePath,
    configPath,
    spoolPath,
    release: () => rmSync(lockPath, { force: true }),
  };
}

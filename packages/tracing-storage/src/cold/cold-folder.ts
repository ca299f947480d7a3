import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "lifecycle";

/** Name of the disk in the engine's configuration, and of the folder with the names of its objects. */
export const coldDisk = "cold";

/** Path of the file that names the bucket with the days that were moved out of this data folder. */
export function coldMarkPath(dataFolder: string): string {
  return join(dataFolder, "cold-storage.json");
}

/** Folder with the names of the objects of each moved file. @param enginePath the engine's folder */
export function coldNamesPath(enginePath: string): string {
  return join(enginePath, "disks", coldDisk);
}

/**
 * The endpoint with the folder's old days.
 * @returns undefined when this folder was never opened with a bucket
 * @throws StartError for an unreadable file, because without the bucket the moved days would look empty
 */
export function knownEndpoint(dataFolder: string): string | undefined {
  const path = coldMarkPath(dataFolder);
  if (!existsSync(path)) {
    return undefined;
  }
  try {
    const { endpoint } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
    if (typeof endpoint === "string") {
      return endpoint;
    }
  } catch {
    // Reported below.
  }
  throw new StartError(
    `${path} is damaged: write the address of the bucket into it, {"endpoint": "https://…"}`,
  );
}

/**
 * Refuses a folder whose old days are in a bucket that this start does not name. Otherwise searches would find nothing
 * in those days, without an error.
 * @throws StartError
 */
export function requireKnownEndpoint(dataFolder: string, endpoint: string): void {
  const known = knownEndpoint(dataFolder);
  if (known === undefined || known === endpoint) {
    return;
  }
  throw new StartError(
    endpoint === ""
      ? `old days of data folder ${dataFolder} are in ${known}: start with --storage.cold.endpoint`
      : `old days of data folder ${dataFolder} are in ${known}, not in ${endpoint}: copy all objects there, then remove ` +
          `${coldMarkPath(dataFolder)}`,
  );
}

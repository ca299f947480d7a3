import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { messageOf } from "../../errors.ts";

const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
const withoutWaiting = appending | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Opens a log file. A named pipe needs a reader, but waiting for a reader would block a thread of the pool that reads
 * files.
 * @throws Error with the name of the file
 */
export async function openForAppending(path: string, mode: number): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(path, withoutWaiting, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENXIO") {
      throw new Error(`${path}: nobody reads this pipe: ${messageOf(error)}`, { cause: error });
    }
    throw error;
  }
  if (!(await handle.stat()).isFIFO()) {
    return handle;
  }
  // Writes to a full pipe must wait, not fail. The pipe has a reader, so opening it again does not wait.
  try {
    return await open(path, appending, mode);
  } finally {
    await handle.close();
  }
}

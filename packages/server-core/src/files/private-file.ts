import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a file anew. Its folder is made when it is not there (0700), and what lies in the way goes; there is hardly ever
 * anything.
 * @param create opens it, and fails where there is one
 * @throws the file system's error
 */
export async function inPrivateFolder<File>(path: string, create: () => Promise<File>): Promise<File> {
  try {
    return await create();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    } else if (code === "EEXIST") {
      await rm(path);
    } else {
      throw error;
    }
    return create();
  }
}

/** As {@link inPrivateFolder}, a file that only its owner may read (0600). @throws the file system's error */
export function createPrivateFile(path: string): Promise<FileHandle> {
  return inPrivateFolder(path, () => open(path, "wx", 0o600));
}

import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a new file. A missing folder is made (0700), and an existing file of that name is removed first, which
 * is rare.
 * @param create opens the file, and fails where it exists
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

import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Creates a new file. A missing folder is created (0700). A leftover file with this name, which is rare, is removed
 * first.
 * @param create opens the file, and fails when the file exists
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

/** Like {@link inPrivateFolder}, for a file that only its owner may read (0600). @throws the file system's error */
export function createPrivateFile(path: string): Promise<FileHandle> {
  return inPrivateFolder(path, () => open(path, "wx", 0o600));
}

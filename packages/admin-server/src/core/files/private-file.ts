import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a file anew that only its owner may read (0600). Its folder is made when it is not there (0700), and what lies in
 * the way goes; there is hardly ever anything. @throws the file system's error
 */
export async function createPrivateFile(path: string): Promise<FileHandle> {
  const create = () => open(path, "wx", 0o600);
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

import { readFile, stat } from "node:fs/promises";

/**
 * Reads a file with a size limit of `most` bytes. @throws Error whose message continues a sentence that begins with the
 * name of the file: `cannot be read: ENOENT`
 */
export async function readLimitedFile(path: string, most: number): Promise<Buffer> {
  let size: number;
  try {
    ({ size } = await stat(path));
    if (size <= most) {
      return await readFile(path);
    }
  } catch (error) {
    throw new Error(`cannot be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`);
  }
  throw new Error(`has ${size} bytes, over the limit of ${most}`);
}

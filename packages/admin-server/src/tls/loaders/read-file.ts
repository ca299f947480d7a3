import { open } from "node:fs/promises";
import { messageOf, ServerError } from "../../core/errors.ts";

/** Of one file with certificates or a key. */
const maxFileBytes = 10 * 1024 * 1024;

/** Reads a file of certificates or keys. @throws ServerError CERTIFICATE naming it */
export async function readPemFile(path: string): Promise<Buffer> {
  try {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      if (size > maxFileBytes) {
        throw new ServerError("CERTIFICATE", `${size} bytes, limit ${maxFileBytes}`);
      }
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new ServerError("CERTIFICATE", `${path}: ${messageOf(error)}`, { cause: error });
  }
}

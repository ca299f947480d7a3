import { messageOf, ServerError } from "../../core/errors.ts";
import { maxPemBytes, readRegularFile } from "../../core/files/read-regular-file.ts";

/** Reads a file of certificates or keys. @throws ServerError CERTIFICATE naming it */
export async function readPemFile(path: string): Promise<Buffer> {
  try {
    return await readRegularFile(path, maxPemBytes);
  } catch (error) {
    throw new ServerError("CERTIFICATE", `${path}: ${messageOf(error)}`, { cause: error });
  }
}

import { messageOf, ServerError } from "server-core/errors";
import { maxPemBytes, readRegularFile } from "server-core/files/read-regular-file";

/** Reads a file of certificates or keys. @throws ServerError CERTIFICATE with the file's path */
export async function readPemFile(path: string): Promise<Buffer> {
  try {
    return await readRegularFile(path, maxPemBytes);
  } catch (error) {
    throw new ServerError("CERTIFICATE", `${path}: ${messageOf(error)}`, { cause: error });
  }
}

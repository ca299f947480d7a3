import { bytesOfText } from "server-core/uri/text-of-bytes";

/**
 * A path as the file system takes it. Names of files are bytes: a request may ask for one that is no UTF-8.
 * Text that is well formed goes as it is. A name that is no UTF-8 holds lone surrogates, and becomes bytes
 * again.
 * @param path text made by `textOfBytes`
 */
export function pathBytes(path: string): string | Buffer {
  return path.isWellFormed() ? path : Buffer.from(bytesOfText(path), "latin1");
}

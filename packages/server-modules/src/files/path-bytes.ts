import { bytesOfText } from "server-core/uri/text-of-bytes";

/**
 * Converts a path for file system calls. File names are bytes, and a request may ask for a name that is not UTF-8.
 * Well-formed text stays a string. A name that is not UTF-8 contains lone surrogates, and becomes a buffer.
 * @param path text made by `textOfBytes`
 */
export function pathBytes(path: string): string | Buffer {
  return path.isWellFormed() ? path : Buffer.from(bytesOfText(path), "latin1");
}

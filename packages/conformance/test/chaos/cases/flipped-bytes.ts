import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";

/** A byte of a file that a case has changed. */
export interface FlippedByte {
  readonly path: string;
  readonly at: number;
  readonly mask: number;
}

/** Changes a byte of a file. @param share position of the byte, as a fraction of the file's length */
export function flip(path: string, share: number, mask = 0x20): FlippedByte {
  const at = Math.floor(readFileSync(path).length * share);
  const flipped = { path, at, mask };
  flipAgain(flipped);
  return flipped;
}

/**
 * Changes the byte back, so that the file is as before. The file's time does not change, as with a failing disk. @param
 * path current path of the file
 */
export function flipAgain({ path: before, at, mask }: FlippedByte, path = before): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ mask;
  const { atime, mtime } = statSync(path);
  writeFileSync(path, bytes);
  utimesSync(path, atime, mtime);
}

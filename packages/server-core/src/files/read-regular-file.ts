import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statfsSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** Flags with which `open` neither waits for the writer of a pipe nor acquires a terminal. */
export const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Type number of the proc file system. Source: Linux, statfs(2) */
const procMagic = 0x9fa0;
/** Size limit of a file with certificates or a key in bytes. The systems' trust stores have 0.25 MiB. */
export const maxPemBytes = 10 * 1024 * 1024;

const chunkBytes = 64 * 1024;

/** Kind of a path that is not a regular file, for messages. */
function kindOf(stats: Stats): string {
  if (stats.isDirectory()) {
    return "is a directory";
  }
  if (stats.isFIFO()) {
    return "is a named pipe";
  }
  if (stats.isSocket()) {
    return "is a socket";
  }
  return "is a device";
}

function overLimit(size: number | string, maxBytes: number): Error {
  return new Error(`${size} bytes are over the limit of ${maxBytes}`);
}

/** @throws Error with the reason why the file cannot be read within `maxBytes` */
function check(path: string, stats: Stats, maxBytes: number): void {
  if (!stats.isFile()) {
    throw new Error(kindOf(stats));
  }
  if (stats.size > maxBytes) {
    throw overLimit(stats.size, maxBytes);
  }
  if (stats.size === 0 && process.platform === "linux" && statfsSync(path).type === procMagic) {
    throw new Error("is no file on a disk, but made by the kernel");
  }
}

/** `open` fails with ENXIO for a socket and for some devices. The other kinds of files are checked after `open`. */
function openError(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code === "ENXIO" ? new Error("is a socket or a device") : error;
}

/** A buffer with one byte more than the file: a file that fills the buffer has grown, or exceeds the limit. */
function roomFor(stats: Stats, maxBytes: number): Buffer {
  return Buffer.allocUnsafe(Math.min(maxBytes, stats.size || chunkBytes) + 1);
}

/**
 * Opens a regular file without waiting.
 * @throws Error with the reason: missing, a directory, a pipe, a device, over the limit
 */
export async function openRegularFile(path: string, maxBytes: number): Promise<FileHandle> {
  const handle = await open(path, openFlags).catch((error: unknown) => {
    throw openError(error);
  });
  try {
    check(path, await handle.stat(), maxBytes);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Reads a file whose path is in a configuration. A named pipe, a device or an endless file would block the reader and a
 * thread of libuv's pool. All three are refused immediately.
 * @throws Error with the reason, without the path
 */
export async function readRegularFile(path: string, maxBytes: number): Promise<Buffer> {
  const handle = await openRegularFile(path, maxBytes);
  try {
    let bytes = roomFor(await handle.stat(), maxBytes);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length);
      length += bytesRead;
      if (length > maxBytes) {
        throw overLimit(`more than ${maxBytes}`, maxBytes);
      }
      if (bytesRead === 0) {
        return bytes.subarray(0, length);
      }
      bytes = grown(bytes, length, maxBytes);
    }
  } finally {
    await handle.close();
  }
}

/** Like {@link readRegularFile}, but synchronous. */
export function readRegularFileSync(path: string, maxBytes: number): Buffer {
  let fd: number;
  try {
    fd = openSync(path, openFlags);
  } catch (error) {
    throw openError(error);
  }
  try {
    const stats = fstatSync(fd);
    check(path, stats, maxBytes);
    let bytes = roomFor(stats, maxBytes);
    let length = 0;
    for (;;) {
      const bytesRead = readSync(fd, bytes, length, bytes.length - length, null);
      length += bytesRead;
      if (length > maxBytes) {
        throw overLimit(`more than ${maxBytes}`, maxBytes);
      }
      if (bytesRead === 0) {
        return bytes.subarray(0, length);
      }
      bytes = grown(bytes, length, maxBytes);
    }
  } finally {
    closeSync(fd);
  }
}

/** A larger buffer for a file that has grown since its size was read. */
function grown(bytes: Buffer, length: number, maxBytes: number): Buffer {
  if (length < bytes.length) {
    return bytes;
  }
  const more = Buffer.allocUnsafe(Math.min(maxBytes + 1, bytes.length * 2));
  bytes.copy(more, 0, 0, length);
  return more;
}

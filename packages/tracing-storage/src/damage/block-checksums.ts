import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { cityHash128 } from "wire/city-hash";

/**
 * Bytes of the checksum before each block. The checksum is followed by the method, the size of the rest, and the size
 * of the data.
 */
const checksumBytes = 16;
const headBytes = checksumBytes + 9;
/** The engine's size limit of a block in bytes. */
const maxBlockBytes = 1024 * 1024 * 1024;
/** Number of bytes that are hashed in one turn of the event loop, which takes some milliseconds. */
const bytesPerTurn = 1024 * 1024;

/**
 * Finds the first block of a file whose bytes differ from its checksum. The engine would hash such a block once for
 * each of its bits, to find the flipped bit. This function hashes the block only once. Files are read without libuv's
 * threads, because the engine may occupy them.
 * @returns undefined for an undamaged file
 * @throws errors of files
 */
export async function damagedBlockOf(path: string): Promise<number | undefined> {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const head = Buffer.alloc(headBytes);
    let sinceTurn = 0;
    for (let at = 0; at < size; ) {
      if (readSync(file, head, 0, headBytes, at) < headBytes) {
        return at;
      }
      const length = head.readUInt32LE(checksumBytes + 1);
      const end = at + checksumBytes + length;
      if (length < headBytes - checksumBytes || length > maxBlockBytes || end > size) {
        return at;
      }
      const block = Buffer.allocUnsafe(length);
      if (readSync(file, block, 0, length, at + checksumBytes) < length) {
        return at;
      }
      const [low, high] = cityHash128(block);
      if (head.readBigUInt64LE(0) !== low || head.readBigUInt64LE(8) !== high) {
        return at;
      }
      at = end;
      sinceTurn += length;
      if (sinceTurn >= bytesPerTurn) {
        sinceTurn = 0;
        await nextTurn();
      }
    }
    return undefined;
  } finally {
    closeSync(file);
  }
}

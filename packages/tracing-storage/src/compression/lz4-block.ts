/**
 * LZ4's block format, as far as ClickHouse's clients need it.
 * Source: lz4 doc/lz4_Block_format.md
 */

const minMatch = 4;
/**
 * Minimum distance in bytes between the start of the last match and the end. The next constant is the number of bytes
 * at the end that must be literals.
 */
const matchLimit = 12;
const lastLiterals = 5;
const hashBits = 14;
const maxOffset = 65_535;

/** Below this number of bytes, a loop is faster than a call. */
const shortBytes = 32;

/** Maximum size of the result of compressing `length` bytes. */
export function maxCompressedBytes(length: number): number {
  return length + Math.floor(length / 255) + 16;
}

function writeLength(target: Uint8Array, at: number, length: number): number {
  let index = at;
  let left = length;
  while (left >= 255) {
    target[index++] = 255;
    left -= 255;
  }
  target[index++] = left;
  return index;
}

/** Compresses greedily: for each hash of four bytes, only one position is remembered. */
export function compressLz4Block(source: Buffer): Buffer {
  const target = Buffer.allocUnsafe(maxCompressedBytes(source.length));
  const places = new Int32Array(1 << hashBits).fill(-1);
  const end = source.length;
  let out = 0;
  let anchor = 0;
  let index = 0;
  let misses = 0;
  const literals = (to: number, matchLength: number): void => {
    const count = to - anchor;
    const short = matchLength < 0 ? 0 : Math.min(matchLength, 15);
    target[out++] = (Math.min(count, 15) << 4) | short;
    if (count >= 15) {
      out = writeLength(target, out, count - 15);
    }
    source.copy(target, out, anchor, to);
    out += count;
  };
  while (index <= end - matchLimit) {
    const word = source.readInt32LE(index);
    const hash = Math.imul(word, -1640531535) >>> (32 - hashBits);
    const place = places[hash] ?? -1;
    places[hash] = index;
    if (place < 0 || index - place > maxOffset || source.readInt32LE(place) !== word) {
      // The step grows while no match is found, so that incompressible data is skipped quickly.
      index += 1 + (misses++ >> 6);
      continue;
    }
    misses = 0;
    let length = minMatch;
    const most = end - lastLiterals - index;
    while (length < most && source[place + length] === source[index + length]) {
      length++;
    }
    literals(index, length - minMatch);
    target.writeUInt16LE(index - place, out);
    out += 2;
    if (length - minMatch >= 15) {
      out = writeLength(target, out, length - minMatch - 15);
    }
    index += length;
    anchor = index;
  }
  literals(end, -1);
  return target.subarray(0, out);
}

/**
 * Decompresses into `target`, starting at `at`; matches may refer to bytes before `at`.
 * @returns position after the last byte written
 * @throws RangeError when the block is not LZ4, or is longer than `target`
 */
export function decompressLz4Block(source: Buffer, target: Buffer, at = 0): number {
  let index = 0;
  let out = at;
  const extended = (short: number): number => {
    let length = short;
    if (short === 15) {
      let byte: number;
      do {
        byte = source[index++] ?? -1;
        if (byte < 0) {
          throw new RangeError("an LZ4 block ends in the middle of a length");
        }
        length += byte;
      } while (byte === 255);
    }
    return length;
  };
  while (index < source.length) {
    const token = source[index++] ?? 0;
    const literals = extended(token >> 4);
    if (literals > source.length - index || literals > target.length - out) {
      throw new RangeError("literals of an LZ4 block reach past its end");
    }
    if (literals <= shortBytes) {
      for (const end = index + literals; index < end; ) {
        target[out++] = source[index++] as number;
      }
    } else {
      source.copy(target, out, index, index + literals);
      index += literals;
      out += literals;
    }
    if (index === source.length) {
      return out;
    }
    if (index + 2 > source.length) {
      throw new RangeError("an LZ4 block ends in the middle of an offset");
    }
    const offset = source.readUInt16LE(index);
    index += 2;
    const length = extended(token & 15) + minMatch;
    if (offset === 0 || offset > out || length > target.length - out) {
      throw new RangeError("a match of an LZ4 block reaches past the data");
    }
    let from = out - offset;
    if (offset >= length && length > shortBytes) {
      target.copyWithin(out, from, from + length);
      out += length;
    } else {
      for (const to = out + length; out < to; ) {
        target[out++] = target[from++] ?? 0;
      }
    }
  }
  return out;
}

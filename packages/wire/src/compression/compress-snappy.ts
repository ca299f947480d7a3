/** Base-2 logarithm of the number of entries in the table that finds earlier occurrences of four bytes. */
const tableBits = 14;
/** Longest copy in one element. */
const longestCopy = 64;
/** Largest distance that two bytes can express. */
const farthest = 65_535;

/**
 * Compresses bytes to one block of snappy: a length, literals and copies. `readSnappyElements` describes the form.
 * Source: google/snappy format_description.txt.
 */
export function compressSnappy(input: Uint8Array): Buffer {
  const source = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  // This size suffices: a literal of `n` bytes takes at most `n + n / 60 + 5` bytes. A copy of 3 bytes replaces at
  // least 4, which makes up for the header of the next literal.
  const output = Buffer.allocUnsafe(source.length + Math.ceil(source.length / 60) + 16);
  const seen = new Int32Array(1 << tableBits).fill(-1);
  let to = writeLength(output, source.length);
  let literalStart = 0;
  let at = 0;
  while (at + 4 <= source.length) {
    const word = source.readUInt32LE(at);
    const slot = Math.imul(word, 0x1e35a7bd) >>> (32 - tableBits);
    const before = seen[slot] as number;
    seen[slot] = at;
    if (before < 0 || at - before > farthest || source.readUInt32LE(before) !== word) {
      at++;
      continue;
    }
    let length = 4;
    while (at + length < source.length && source[before + length] === source[at + length]) {
      length++;
    }
    to = writeLiteral(output, to, source.subarray(literalStart, at));
    to = writeCopies(output, to, at - before, length);
    at += length;
    literalStart = at;
  }
  to = writeLiteral(output, to, source.subarray(literalStart));
  return output.subarray(0, to);
}

function writeLength(output: Buffer, length: number): number {
  let to = 0;
  let rest = length;
  for (; rest >= 0x80; rest >>>= 7) {
    output[to++] = (rest & 0x7f) | 0x80;
  }
  output[to++] = rest;
  return to;
}

function writeLiteral(output: Buffer, start: number, bytes: Uint8Array): number {
  let to = start;
  const last = bytes.length - 1;
  if (last < 0) {
    return to;
  }
  if (last < 60) {
    output[to++] = last << 2;
  } else if (last < 0x100) {
    output[to++] = 60 << 2;
    output[to++] = last;
  } else if (last < 0x1_0000) {
    output[to++] = 61 << 2;
    to = output.writeUInt16LE(last, to);
  } else {
    output[to++] = 63 << 2;
    to = output.writeUInt32LE(last, to);
  }
  output.set(bytes, to);
  return to + bytes.length;
}

function writeCopies(output: Buffer, start: number, distance: number, length: number): number {
  let to = start;
  for (let rest = length; rest > 0; ) {
    const part = Math.min(rest, longestCopy);
    output[to++] = ((part - 1) << 2) | 2;
    to = output.writeUInt16LE(distance, to);
    rest -= part;
  }
  return to;
}

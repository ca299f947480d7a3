import { WireError } from "../errors.ts";

/** Shortest match in bytes. A token contains the length minus this number. */
const leastMatch = 4;
/** A length field with this value continues in the next bytes. */
const openLength = 15;

export interface BlockBytes {
  readonly bytes: Uint8Array;
  /** Index of the first byte. */
  readonly from: number;
  /** Index after the last byte. */
  readonly to: number;
}

/** Memory for a decompressed block. */
export interface BlockOutput {
  readonly output: Buffer;
  /** Index of the block's first byte. */
  readonly at: number;
  /** Matches may refer to bytes from this index on; it is at most `at`. */
  readonly start: number;
  /** Offset in the output at which the block must end. Longer content makes the block invalid. */
  readonly most: number;
}

/**
 * Decompresses the LZ4 block `bytes[from, to)`. A block is a series of sequences:
 *
 * | Bytes | Meaning |
 * |---|---|
 * | 1 | token: length of the literals (high 4 bits), length of the match - 4 (low 4 bits) |
 * | 0 or more | rest of a length of 15: the sum of these bytes, which end with the first byte below 255 |
 * | n | literals, which are copied |
 * | 2 | distance of the match from the output's end, little-endian |
 * | 0 or more | rest of the match's length |
 *
 * The last sequence has only literals. `30 61 62 63` is "abc".
 *
 * @returns the end of the output; -1 when the output would exceed `most`
 * @throws WireError WIRE_TRUNCATED; WIRE_MALFORMED for a match before `start`
 *
 * Source: lz4/lz4 doc/lz4_Block_format.md.
 */
export function readLz4Block(
  { bytes, from, to }: BlockBytes,
  { output, at, start, most }: BlockOutput,
): number {
  let position = from;
  let length = at;

  /** Reads a length whose first four bits are in a token. */
  function lengthOf(bits: number): number {
    let total = bits;
    if (bits !== openLength) {
      return total;
    }
    for (let byte = 255; byte === 255; ) {
      if (position >= to) {
        throw truncated(to);
      }
      byte = bytes[position++] as number;
      total += byte;
    }
    return total;
  }

  while (position < to) {
    const token = bytes[position++] as number;
    const literals = lengthOf(token >>> 4);
    if (literals > to - position) {
      throw truncated(to);
    }
    if (literals > most - length) {
      return -1;
    }
    output.set(bytes.subarray(position, position + literals), length);
    position += literals;
    length += literals;
    // The last sequence has no match.
    if (position === to) {
      return length;
    }
    if (to - position < 2) {
      throw truncated(to);
    }
    const distance = (bytes[position] as number) | ((bytes[position + 1] as number) << 8);
    position += 2;
    const count = lengthOf(token & 15) + leastMatch;
    if (distance === 0 || distance > length - start) {
      throw new WireError("WIRE_MALFORMED", `LZ4 match before byte ${position} refers to nothing`);
    }
    if (count > most - length) {
      return -1;
    }
    copyMatch(output, length, distance, count);
    length += count;
  }
  throw truncated(to);
}

/**
 * Copies to `at` the `count` bytes that are `distance` bytes before `at`. If the distance is shorter than the count,
 * the copied bytes repeat: "ab" with distance 2 and count 5 continues with "ababa".
 */
export function copyMatch(output: Uint8Array, at: number, distance: number, count: number): void {
  if (distance >= count) {
    output.copyWithin(at, at - distance, at - distance + count);
    return;
  }
  for (let index = at; index < at + count; index++) {
    output[index] = output[index - distance] as number;
  }
}

function truncated(at: number): WireError {
  return new WireError("WIRE_TRUNCATED", `LZ4 block ends at byte ${at}, inside a sequence`);
}

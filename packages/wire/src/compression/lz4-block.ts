import { WireError } from "../errors.ts";

const leastMatch = 4;
/** A length of this value continues in further bytes. */
const openLength = 15;

/**
 * Undoes the LZ4 block `bytes[from, to)`.
 * @param output receives the block from `at`; matches may refer to bytes from `start`
 * @param most limit of the output's end
 * @returns the end, or -1 when it would exceed `most`
 * @throws WireError WIRE_TRUNCATED; WIRE_MALFORMED for a match before `start` Source: lz4/lz4
 *   doc/lz4_Block_format.md.
 */
export function readLz4Block(
  bytes: Uint8Array,
  from: number,
  to: number,
  output: Buffer,
  at: number,
  start: number,
  most: number,
): number {
  let position = from;
  let length = at;

  /** A length that begins with four bits of a token. */
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
    // A match may overlap with its own output.
    if (distance >= count) {
      output.copyWithin(length, length - distance, length - distance + count);
    } else {
      for (let index = length; index < length + count; index++) {
        output[index] = output[index - distance] as number;
      }
    }
    length += count;
  }
  throw truncated(to);
}

function truncated(at: number): WireError {
  return new WireError("WIRE_TRUNCATED", `LZ4 block ends at byte ${at}, inside a sequence`);
}

import { WireError } from "../errors.ts";
import { copyMatch } from "./lz4-block.ts";

/** A block grows at most by this factor: a copy of three bytes results in at most 64 bytes. */
const largestGrowth = 22;

/** Header of a block: the length of its content, and the position of its elements. */
export interface SnappyBlockStart {
  /** Bytes of the content, below 2^32. */
  readonly length: number;
  /** Position of the first element, after the length. */
  readonly elements: number;
}

/**
 * Reads the length at the start of the block `bytes[start, end)`.
 * @throws WireError WIRE_TRUNCATED; WIRE_MALFORMED, for example for a length that is too large for the block's bytes
 */
export function readSnappyLength(bytes: Uint8Array, start: number, end: number): SnappyBlockStart {
  let length = 0;
  for (let at = start, unit = 1; ; at++, unit *= 128) {
    if (at === end) {
      throw new WireError("WIRE_TRUNCATED", `snappy block ends at byte ${end}, inside its length`);
    }
    const byte = bytes[at] as number;
    length += (byte & 0x7f) * unit;
    if (byte >= 0x80 && at < start + 4) {
      continue;
    }
    if (byte >= 0x80 || length > 0xffff_ffff) {
      throw malformed("a length of over 32 bits", at);
    }
    const elements = at + 1;
    if (length > (end - elements) * largestGrowth) {
      throw malformed(`${end - elements} bytes that cannot stand for ${length}`, elements);
    }
    return { length, elements };
  }
}

export interface BytesPart {
  readonly bytes: Uint8Array;
  readonly start: number;
  /** Index after the last byte. */
  readonly end: number;
}

/**
 * Decodes the elements of a block into `output`, which the result fills exactly. The low two bits of an element's tag
 * are the kind of the element:
 *
 * | Kind | Element | Length | Distance |
 * |---|---|---|---|
 * | 0 | literal | (tag >> 2) + 1; from 61 on, the length is in 1 to 4 further bytes | |
 * | 1 | copy | 4 to 11, in 3 bits of the tag | 11 bits: 3 bits of the tag, and one byte |
 * | 2 | copy | 1 to 64, in 6 bits of the tag | 2 bytes |
 * | 3 | copy | as kind 2 | 4 bytes |
 *
 * `08 61 62 63` is the literal "abc".
 *
 * @throws WireError WIRE_TRUNCATED, WIRE_MALFORMED
 * Source: google/snappy format_description.txt.
 */
export function readSnappyElements({ bytes, start, end }: BytesPart, output: BytesPart): void {
  const { bytes: target, start: outputStart, end: outputEnd } = output;
  let at = start;
  let to = outputStart;
  while (at < end) {
    const element = at;
    const tag = bytes[at++] as number;
    const kind = tag & 3;
    let length = (tag >>> 2) + 1;
    if (kind === 0) {
      // This element is a literal. From 61 on, the tag contains the number of bytes of the literal's length.
      if (length > 60) {
        const lengthBytes = length - 60;
        length = littleEndian(bytes, at, lengthBytes, end) + 1;
        at += lengthBytes;
      }
      if (length > end - at) {
        throw truncated(end);
      }
      if (length > outputEnd - to) {
        throw malformed("more bytes than its length says", element);
      }
      target.set(new Uint8Array(bytes.buffer, bytes.byteOffset + at, length), to);
      at += length;
      to += length;
      continue;
    }
    let offset: number;
    if (kind === 1) {
      length = ((tag >>> 2) & 7) + 4;
      offset = ((tag >>> 5) << 8) | littleEndian(bytes, at, 1, end);
      at += 1;
    } else {
      const offsetBytes = kind === 2 ? 2 : 4;
      offset = littleEndian(bytes, at, offsetBytes, end);
      at += offsetBytes;
    }
    if (offset === 0 || offset > to - outputStart) {
      throw malformed("a copy of what is not there", element);
    }
    if (length > outputEnd - to) {
      throw malformed("more bytes than its length says", element);
    }
    copyMatch(target, to, offset, length);
    to += length;
  }
  if (to !== outputEnd) {
    throw malformed("fewer bytes than its length says", end);
  }
}

/** A little-endian number of `count` bytes. @throws WireError WIRE_TRUNCATED if they exceed `end` */
function littleEndian(bytes: Uint8Array, start: number, count: number, end: number): number {
  if (start + count > end) {
    throw truncated(end);
  }
  let number = 0;
  for (let index = count - 1; index >= 0; index--) {
    number = number * 256 + (bytes[start + index] as number);
  }
  return number;
}

function truncated(end: number): WireError {
  return new WireError("WIRE_TRUNCATED", `snappy block ends at byte ${end}, inside an element`);
}

function malformed(what: string, at: number): WireError {
  return new WireError("WIRE_MALFORMED", `snappy block has ${what} at byte ${at}`);
}

import type { ByteWriter } from "../rows/byte-writer.ts";

const two32 = 0x1_0000_0000;

/**
 * Starts a nested message: writes its tag, and reserves space for its length.
 * @param lengthBytes expected number of bytes for the length; a wrong number makes `endMessage` move the message
 * @returns start position of the message, for `endMessage`
 */
export function beginMessage(out: ByteWriter, tag: number, lengthBytes: number): number {
  out.reserve(1 + lengthBytes);
  out.buffer[out.length] = tag;
  out.length += 1 + lengthBytes;
  return out.length;
}

/** Ends the message that `beginMessage` started; `lengthBytes` must be the same. */
export function endMessage(out: ByteWriter, start: number, lengthBytes: number): void {
  const length = out.length - start;
  let neededBytes = 1;
  for (let rest = length >>> 7; rest !== 0; rest >>>= 7) {
    neededBytes++;
  }
  const move = neededBytes - lengthBytes;
  if (move !== 0) {
    if (move > 0) {
      out.reserve(move);
    }
    out.buffer.copyWithin(start + move, start, out.length);
    out.length += move;
  }
  const { buffer } = out;
  let position = start - lengthBytes;
  let rest = length;
  for (; rest >= 0x80; rest >>>= 7) {
    buffer[position++] = (rest & 0x7f) | 0x80;
  }
  buffer[position] = rest;
}

/** Writes a 64-bit number, given as two unsigned halves, as a varint. */
export function writeVarint64(out: ByteWriter, low: number, high: number): void {
  out.reserve(10);
  const { buffer } = out;
  let position = out.length;
  let lower = low >>> 0;
  let upper = high >>> 0;
  while (upper !== 0) {
    buffer[position++] = (lower & 0x7f) | 0x80;
    lower = ((lower >>> 7) | (upper << 25)) >>> 0;
    upper >>>= 7;
  }
  for (; lower >= 0x80; lower >>>= 7) {
    buffer[position++] = (lower & 0x7f) | 0x80;
  }
  buffer[position++] = lower;
  out.length = position;
}

/** Writes an integer of at most 53 bits, positive or negative, as a varint of type int64. */
export function writeInt53(out: ByteWriter, value: number): void {
  const high = Math.floor(value / two32);
  writeVarint64(out, value - high * two32, high);
}

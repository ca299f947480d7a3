import type { ByteWriter } from "../rows/byte-writer.ts";

const maxShort = 0x80;
const [quote, comma, backslash, openBracket, closeBracket] = [0x22, 0x2c, 0x5c, 0x5b, 0x5d];

/**
 * Writes the `ArrayValue` `[start, end)` as typed JSON, if it has only short ASCII strings without characters that JSON
 * escapes. Typical for such arrays are lists of names and addresses.
 * @returns false for any other array, which is then not written
 */
export function writeTextArray(out: ByteWriter, bytes: Uint8Array, start: number, end: number): boolean {
  // An item is one byte shorter in JSON than in the message: two quotes and a comma replace two tags and two lengths.
  out.reserve(end - start + 2);
  const { buffer } = out;
  let position = out.length;
  buffer[position++] = openBracket;
  for (let at = start; at < end; ) {
    const textStart = at + 4;
    if (textStart > end || bytes[at] !== 10 || bytes[at + 2] !== 10) {
      return false;
    }
    const length = bytes[at + 3] as number;
    const textEnd = textStart + length;
    if (length >= maxShort - 2 || bytes[at + 1] !== length + 2 || textEnd > end) {
      return false;
    }
    if (at !== start) {
      buffer[position++] = comma;
    }
    buffer[position++] = quote;
    for (let index = textStart; index < textEnd; index++) {
      const byte = bytes[index] as number;
      if (byte < 0x20 || byte >= 0x7f || byte === quote || byte === backslash) {
        return false;
      }
      buffer[position++] = byte;
    }
    buffer[position++] = quote;
    at = textEnd;
  }
  buffer[position++] = closeBracket;
  out.length = position;
  return true;
}

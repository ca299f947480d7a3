import type { ByteWriter } from "./byte-writer.ts";

const digits = Buffer.from("0123456789abcdef");

/** Writes `[start, end)` of `bytes` as lower-case hex digits. */
export function writeHex(out: ByteWriter, bytes: Uint8Array, start: number, end: number): void {
  const length = (end - start) * 2;
  out.reserve(length);
  const { buffer } = out;
  let position = out.length;
  for (let index = start; index < end; index++) {
    const byte = bytes[index] as number;
    buffer[position++] = digits[byte >>> 4] as number;
    buffer[position++] = digits[byte & 15] as number;
  }
  out.length = position;
}

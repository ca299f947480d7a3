import type { ByteWriter } from "./byte-writer.ts";

/** Writes the decimal digits of a signed 64-bit number, given in halves of which only the bits count. */
export function writeDecimal(out: ByteWriter, low: number, high: number): void {
  if (high !== 0 || low < 0) {
    const number = (high | 0) * 0x1_0000_0000 + (low >>> 0);
    out.utf8(
      Number.isSafeInteger(number) ? String(number) : String((BigInt(high | 0) << 32n) | BigInt(low >>> 0)),
    );
    return;
  }
  let digits = 1;
  for (let rest = low; rest >= 10; rest = (rest / 10) | 0) digits++;
  out.reserve(digits);
  const { buffer } = out;
  let rest = low;
  for (let position = out.length + digits - 1; position >= out.length; position--) {
    const tenth = (rest / 10) | 0;
    buffer[position] = 48 + rest - tenth * 10;
    rest = tenth;
  }
  out.length += digits;
}

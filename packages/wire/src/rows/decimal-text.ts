import type { ByteWriter } from "./byte-writer.ts";

/** Writes a signed 64-bit number in decimal, given as two halves, each signed or unsigned. */
export function writeDecimal(out: ByteWriter, low: number, high: number): void {
  if (high !== 0 || low < 0) {
    const number = (high | 0) * 0x1_0000_0000 + (low >>> 0);
    out.utf8(
      Number.isSafeInteger(number) ? String(number) : String((BigInt(high | 0) << 32n) | BigInt(low >>> 0)),
    );
    return;
  }
  let digits = 1;
  for (let rest = low; rest >= 10; rest = (rest / 10) | 0) {
    digits++;
  }
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

/** Maximum number of decimals that the fast conversion can write. Values with more are converted by JavaScript. */
const places = 6;
const scale = 10 ** places;
/** A scaled double below this limit has at most 15 digits, so its decimal number is also the double's shortest text. */
const endOfShort = 1e15;

/**
 * Writes a double in JavaScript's form if it has at most six decimals and at most 15 digits.
 * @returns false for any other double and for zeros, which are then not written
 */
export function writeShortDouble(out: ByteWriter, value: number): boolean {
  const scaled = Math.abs(Math.round(value * scale));
  if (scaled / scale !== Math.abs(value) || scaled === 0 || scaled >= endOfShort) {
    return false;
  }
  if (value < 0) {
    out.uint8(0x2d);
  }
  const whole = Math.floor(scaled / scale);
  writeDecimal(out, whole, 0);
  let fraction = scaled - whole * scale;
  if (fraction === 0) {
    return true;
  }
  let digits = places;
  for (; fraction % 10 === 0; fraction /= 10) {
    digits--;
  }
  out.reserve(digits + 1);
  const { buffer, length } = out;
  buffer[length] = 0x2e;
  for (let position = length + digits; position > length; position--) {
    const tenth = (fraction / 10) | 0;
    buffer[position] = 48 + fraction - tenth * 10;
    fraction = tenth;
  }
  out.length = length + digits + 1;
  return true;
}

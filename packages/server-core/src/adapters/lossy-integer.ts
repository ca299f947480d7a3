/**
 * True when an integer changes in a double, the type of every number in a config. False for a text that JSON itself
 * writes for a double: `18446744073709552000` means 2^64.
 * @param text decimal, hexadecimal (`0x`) or octal (`0o`), with or without a sign
 * @param value the reader's number for the text; never infinity
 */
export function isLossyInteger(text: string, value: number): boolean {
  if (Number.isSafeInteger(value) || !Number.isFinite(value)) {
    return false;
  }
  const digits = text.replace(/^[+-]/, "");
  const size = Math.abs(value);
  return BigInt(digits) !== BigInt(size) && digits !== String(size);
}

/** Error text for an integer that a double cannot represent exactly. */
export function lossyIntegerReason(text: string): string {
  return `the integer ${text} cannot be represented losslessly: numbers are IEEE doubles`;
}

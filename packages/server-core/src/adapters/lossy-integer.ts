/**
 * True when an integer changes in a double, in which every number of a configuration is held. A text that
 * JSON itself writes for a double does not count: `18446744073709552000` stands for 2^64.
 * @param text decimal, hexadecimal (`0x`) or octal (`0o`), a sign before it or none
 * @param value what a reader made of it; infinity is not asked about
 */
export function isLossyInteger(text: string, value: number): boolean {
  if (Number.isSafeInteger(value) || !Number.isFinite(value)) {
    return false;
  }
  const digits = text.replace(/^[+-]/, "");
  const size = Math.abs(value);
  return BigInt(digits) !== BigInt(size) && digits !== String(size);
}

/** The error text for such a number. */
export function lossyIntegerReason(text: string): string {
  return `the integer ${text} cannot be represented losslessly: numbers are IEEE doubles`;
}

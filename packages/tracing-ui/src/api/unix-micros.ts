/**
 * Microseconds since 1970 of nanoseconds in digits: `1700000000000001999` gives 1700000000000001. As a
 * number the nanoseconds would be up to 128 ns off, and end a millisecond early.
 */
export function unixMicros(nanoseconds: string): number {
  return Number(nanoseconds.slice(0, -3));
}

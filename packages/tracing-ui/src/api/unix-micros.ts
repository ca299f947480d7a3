/**
 * Converts a decimal string of nanoseconds to microseconds: `1700000000000001999` gives 1700000000000001. As a
 * number the nanoseconds would be up to 128 ns off, so a time could fall into the wrong millisecond.
 */
export function unixMicros(nanoseconds: string): number {
  return Number(nanoseconds.slice(0, -3));
}

/** Microseconds since 1970 of nanoseconds in digits, which as a number would be up to 128 ns off and end a millisecond early. */
export function unixMicros(nanoseconds: string): number {
  return Number(nanoseconds.slice(0, -3));
}

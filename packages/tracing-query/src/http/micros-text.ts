/** Nanoseconds as whole unsigned microseconds; a negative number wraps at 2^64. */
export function microsText(nano: bigint): string {
  const micros = nano / 1_000n;
  return (micros < 0n ? BigInt.asUintN(64, micros) : micros).toString();
}

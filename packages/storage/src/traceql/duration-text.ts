/** A duration in Go's notation, which Tempo shows: `1m2.5s`, `112.857142ms`. */
export function durationText(nano: bigint): string {
  if (nano === 0n) {
    return "0s";
  }
  if (nano < 0n) {
    return `-${durationText(-nano)}`;
  }
  if (nano < 1_000n) {
    return `${nano}ns`;
  }
  if (nano < 1_000_000n) {
    return `${decimal(nano, 3)}µs`;
  }
  if (nano < 1_000_000_000n) {
    return `${decimal(nano, 6)}ms`;
  }
  const minutes = nano / 60_000_000_000n;
  const seconds = `${decimal(nano % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) {
    return seconds;
  }
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** Decimal number without trailing zeros. */
function decimal(value: bigint, digits: number): string {
  const unit = 10n ** BigInt(digits);
  const fraction = String(value % unit)
    .padStart(digits, "0")
    .replace(/0+$/, "");
  return fraction === "" ? String(value / unit) : `${value / unit}.${fraction}`;
}

import type { Duration } from "../gen/google/protobuf/duration.ts";
import type { Timestamp } from "../gen/google/protobuf/timestamp.ts";

const nanosPerSecond = 1_000_000_000n;

/** Largest and smallest number of nanoseconds that a span can store. */
export const maxNanos = 2n ** 63n - 1n;
export const minNanos = -maxNanos - 1n;
/** 2^64 microseconds, in nanoseconds. */
const wholeTurn = 2n ** 64n * 1_000n;

/** The warning for a time that `inRange` changed. */
export const timeMend = "a time outside the years 1677 to 2262 was set to the end of them";

/**
 * Nanoseconds as a signed number of 64 bits. Jaeger sends negative microseconds as huge unsigned numbers,
 * which this function makes negative again. Any other value outside the range is replaced by the nearest value in the
 * range.
 */
export function inRange(nanos: bigint): bigint {
  if (BigInt.asIntN(64, nanos) === nanos) {
    return nanos;
  }
  const negative = nanos - wholeTurn;
  if (negative < 0n && BigInt.asIntN(64, negative) === negative) {
    return negative;
  }
  return nanos > 0n ? maxNanos : minNanos;
}

/** True for a time that `toNanos` sets to the end of the range. */
export function isOutOfRange(time: Timestamp | Duration | undefined): boolean {
  const sent = time === undefined ? 0n : time.seconds * nanosPerSecond + BigInt(time.nanos);
  const kept = inRange(sent);
  return kept !== sent && (kept === maxNanos || kept === minNanos);
}

/** Nanoseconds of a Timestamp or Duration, limited by `inRange`; 0 when absent. */
export function toNanos(time: Timestamp | Duration | undefined): bigint {
  return time === undefined ? 0n : inRange(time.seconds * nanosPerSecond + BigInt(time.nanos));
}

/** Nanoseconds since the epoch as a Timestamp. `nanos` is never negative, even before 1970. */
export function toTimestamp(unixNanos: bigint): Timestamp {
  const nanos = ((unixNanos % nanosPerSecond) + nanosPerSecond) % nanosPerSecond;
  return { seconds: (unixNanos - nanos) / nanosPerSecond, nanos: Number(nanos) };
}

/** Converts nanoseconds to a Duration, whose seconds and nanos have the same sign. */
export function toDuration(nanos: bigint): Duration {
  return { seconds: nanos / nanosPerSecond, nanos: Number(nanos % nanosPerSecond) };
}

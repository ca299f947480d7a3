import type { Duration } from "../gen/google/protobuf/duration.ts";
import type { Timestamp } from "../gen/google/protobuf/timestamp.ts";

const nanosPerSecond = 1_000_000_000n;

/**
 * Nanoseconds of a Timestamp or Duration; 0 when absent. Values over 64 bits wrap around, as in the public
 * model, so a negative time that was sent as a huge unsigned one becomes negative again.
 */
export function toNanos(time: Timestamp | Duration | undefined): bigint {
  return time === undefined ? 0n : BigInt.asIntN(64, time.seconds * nanosPerSecond + BigInt(time.nanos));
}

/** Nanoseconds since the epoch as a Timestamp; its nanos are never negative, also before 1970. */
export function toTimestamp(unixNanos: bigint): Timestamp {
  const nanos = ((unixNanos % nanosPerSecond) + nanosPerSecond) % nanosPerSecond;
  return { seconds: (unixNanos - nanos) / nanosPerSecond, nanos: Number(nanos) };
}

/** Nanoseconds as a Duration; its seconds and nanos have the same sign. */
export function toDuration(nanos: bigint): Duration {
  return { seconds: nanos / nanosPerSecond, nanos: Number(nanos % nanosPerSecond) };
}

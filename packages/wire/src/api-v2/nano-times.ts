import type { Duration } from "../gen/google/protobuf/duration.ts";
import type { Timestamp } from "../gen/google/protobuf/timestamp.ts";

const nanosPerSecond = 1_000_000_000n;

/**
 * A Timestamp or Duration in nanoseconds; 0 when absent. What does not fit 64 bits wraps around, as it does in the
 * public model: a negative time sent as a huge unsigned one comes back negative.
 */
export function toNanos(time: Timestamp | Duration | undefined): bigint {
  return time === undefined ? 0n : BigInt.asIntN(64, time.seconds * nanosPerSecond + BigInt(time.nanos));
}

/** Nanoseconds since the epoch as a Timestamp, whose nanos always count forward, also before 1970. */
export function toTimestamp(unixNanos: bigint): Timestamp {
  const nanos = ((unixNanos % nanosPerSecond) + nanosPerSecond) % nanosPerSecond;
  return { seconds: (unixNanos - nanos) / nanosPerSecond, nanos: Number(nanos) };
}

/** Nanoseconds as a Duration, whose seconds and nanos have the same sign. */
export function toDuration(nanos: bigint): Duration {
  return { seconds: nanos / nanosPerSecond, nanos: Number(nanos % nanosPerSecond) };
}

import type { Span as ApiV2Span } from "wire/api-v2-model";

/** A time or a duration in the form of `api_v2`. */
type ApiTime = NonNullable<ApiV2Span["startTime"]>;

const nanosPerSecond = 1_000_000_000n;

/** 1 January of the year 1, in seconds. Clients in Go send this value for an unset time. */
const goZeroSeconds = -62_135_596_800n;

/** True for an absent time, and for Go's zero time. */
export function isUnset(time: ApiTime | undefined): boolean {
  return time === undefined || (time.seconds === goZeroSeconds && time.nanos === 0);
}

/** Converts to nanoseconds; 0 when absent. */
export function nanosOf(time: ApiTime | undefined): bigint {
  return time === undefined ? 0n : time.seconds * nanosPerSecond + BigInt(time.nanos);
}

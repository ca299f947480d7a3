import { describe, expect, test } from "vitest";
import { toDuration, toNanos, toTimestamp } from "./nano-times.ts";

describe("times", () => {
  test.each([
    [0n, { seconds: 0n, nanos: 0 }],
    [1_700_000_000_123_456_789n, { seconds: 1_700_000_000n, nanos: 123_456_789 }],
    [-1n, { seconds: -1n, nanos: 999_999_999 }],
    [-1_000_000_000n, { seconds: -1n, nanos: 0 }],
    [2n ** 63n - 1n, { seconds: 9_223_372_036n, nanos: 854_775_807 }],
    [-(2n ** 63n), { seconds: -9_223_372_037n, nanos: 145_224_192 }],
  ])("%d ns since the epoch", (nanos, timestamp) => {
    expect(toTimestamp(nanos)).toEqual(timestamp);
    expect(toNanos(timestamp)).toBe(nanos);
  });

  test.each([
    [0n, { seconds: 0n, nanos: 0 }],
    [1_500_000_000n, { seconds: 1n, nanos: 500_000_000 }],
    [-1n, { seconds: 0n, nanos: -1 }],
    [-1_500_000_000n, { seconds: -1n, nanos: -500_000_000 }],
  ])("%d ns of duration", (nanos, duration) => {
    expect(toDuration(nanos)).toEqual(duration);
    expect(toNanos(duration)).toBe(nanos);
  });

  test("takes an absent time as 0, and keeps what is over 64 bits in their range", () => {
    expect(toNanos(undefined)).toBe(0n);
    // The year 2300, the year 1600, and nanoseconds in place of microseconds.
    expect(toNanos({ seconds: 10_413_792_000n, nanos: 0 })).toBe(2n ** 63n - 1n);
    expect(toNanos({ seconds: -11_676_096_000n, nanos: 0 })).toBe(-(2n ** 63n));
    expect(toNanos({ seconds: 1_700_000_000_000_000n, nanos: 5 })).toBe(2n ** 63n - 1n);
    // -5 µs, sent as unsigned microseconds.
    expect(toNanos({ seconds: 18_446_744_073_709n, nanos: 551_611_000 })).toBe(-5_000n);
  });
});

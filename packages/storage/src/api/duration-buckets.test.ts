import { describe, expect, it } from "vitest";
import { durationBucket, quantileNano } from "./duration-buckets.ts";

describe("durationBucket", () => {
  it.each([
    [-(2n ** 63n), 0],
    [0n, 0],
    [1n, 0],
    [2n, 8],
    [1_023n, 79],
    [1_024n, 80],
    [2n ** 63n - 1n, 504],
  ])("counts %s ns in bucket %s", (duration, bucket) => {
    expect(durationBucket(duration)).toBe(bucket);
  });
});

describe("quantileNano", () => {
  it("is 0 of nothing", () => {
    expect(quantileNano(new Map(), 0.5)).toBe(0);
  });

  it("lies in the bucket of the rank", () => {
    const counts = new Map([
      [80, 50],
      [160, 49],
      [240, 1],
    ]);
    expect(quantileNano(counts, 0.25)).toBeCloseTo(2 ** 10 * 2 ** (0.5 / 8));
    expect(quantileNano(counts, 0.5)).toBeCloseTo(2 ** 10 * 2 ** (1 / 8));
    expect(quantileNano(counts, 0.99)).toBeCloseTo(2 ** 20 * 2 ** (1 / 8));
    expect(quantileNano(counts, 1)).toBeCloseTo(2 ** 30 * 2 ** (1 / 8));
  });
});

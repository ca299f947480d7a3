import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { floatBucket, floatBucketStart, floatQuantile, powerOfTwoAbove } from "./float-buckets.ts";

describe("floatBucket", () => {
  test("holds every value above where it begins, up to where the next does", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-300, max: 1e300, noNaN: true }), (value) => {
        const bucket = floatBucket(value);
        expect(floatBucketStart(bucket)).toBeLessThan(value);
        expect(floatBucketStart(bucket + 1)).toBeGreaterThanOrEqual(value);
        expect(floatBucketStart(bucket + 1) / floatBucketStart(bucket)).toBeLessThanOrEqual(1 + 1 / 16);
        expect(powerOfTwoAbove(bucket)).toBeGreaterThanOrEqual(value);
        expect(powerOfTwoAbove(bucket) / 2).toBeLessThan(value);
      }),
    );
  });

  test("ends with a power of two, as Tempo's do", () => {
    expect([8, 8.1, 16].map((value) => powerOfTwoAbove(floatBucket(value)))).toEqual([8, 16, 16]);
  });

  test("is 0 for what is not above 0", () => {
    expect([0, -1, Number.NaN].map(floatBucket)).toEqual([0, 0, 0]);
  });
});

describe("floatQuantile", () => {
  test("is off by at most a sixteenth", () => {
    const counts = new Map<number, number>();
    for (let value = 1; value <= 1_000; value++) {
      counts.set(floatBucket(value), (counts.get(floatBucket(value)) ?? 0) + 1);
    }
    for (const quantile of [0.01, 0.5, 0.9, 0.99, 1]) {
      const value = floatQuantile(counts, quantile);
      expect(Math.abs(value / (quantile * 1_000) - 1)).toBeLessThan(1 / 16);
    }
    expect(floatQuantile(new Map(), 0.5)).toBeNaN();
    expect(floatQuantile(new Map([[0, 3]]), 0.5)).toBe(0);
  });
});

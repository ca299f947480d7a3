import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { quantileNano } from "./duration-buckets.ts";
import { DurationCounts } from "./duration-counts.ts";

describe("DurationCounts", () => {
  test("has the quantiles of what came and did not go", () => {
    const calls = fc.tuple(fc.integer({ min: 0, max: 504 }), fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(
        fc.array(calls),
        fc.array(calls),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (gone, left, quantile) => {
          const counts = new DurationCounts();
          for (const [bucket, count] of [...gone, ...left]) {
            counts.add(bucket, count);
          }
          for (const [bucket, count] of gone) {
            counts.add(bucket, -count);
          }
          const expected = new Map<number, number>();
          for (const [bucket, count] of left) {
            expected.set(bucket, (expected.get(bucket) ?? 0) + count);
          }
          expect(counts.quantileNano(quantile)).toBe(quantileNano(expected, quantile));
        },
      ),
    );
  });
});

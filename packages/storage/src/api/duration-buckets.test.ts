import { describe, expect, test } from "vitest";
import { durationBucket, quantileNano, shareNoLonger } from "./duration-buckets.ts";

describe("durationBucket", () => {
  test.each([
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
  test("is 0 of nothing", () => {
    expect(quantileNano(new Map(), 0.5)).toBe(0);
  });

  test("lies in the bucket of the rank", () => {
    const counts = new Map([
      [80, 50],
      [160, 49],
      [240, 1],
    ]);
    expect(quantileNano(counts, 0.25)).toBeCloseTo(2 ** 10 * 2 ** (0.5 / 8));
    expect(quantileNano(counts, 0.5)).toBeCloseTo(2 ** 10 * 2 ** (1 / 8));
    expect(quantileNano(counts, 0.99)).toBeCloseTo(2 ** 20 * 2 ** (1 / 8));
  });

  test("is never above the longest duration, which may be the shortest of its bucket", () => {
    expect(quantileNano(new Map([[160, 1]]), 0.5)).toBe(2 ** 20);
    expect(
      quantileNano(
        new Map([
          [80, 1],
          [160, 9],
        ]),
        0.99,
      ),
    ).toBe(2 ** 20);
  });
});

describe("shareNoLonger", () => {
  const counts = new Map([
    [80, 50],
    [88, 50],
  ]);

  test.each([
    ["shorter than all", 1_000n, 0],
    ["in the middle of a bucket, half of it", 1_069n, 0.25],
    ["between two buckets", 1_200n, 0.5],
    ["longer than all", 5_000n, 1],
  ])("is of a duration %s", (_, durationNano, share) => {
    expect(shareNoLonger(counts, durationNano)).toBeCloseTo(share, 2);
  });

  test("counts the duration itself", () => {
    expect(shareNoLonger(new Map([[80, 1]]), 1_024n)).toBe(1);
    expect(shareNoLonger(new Map([[0, 3]]), 0n)).toBe(1);
  });
});

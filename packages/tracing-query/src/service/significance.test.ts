import { expect, test } from "vitest";
import { durationDiffers, shareDiffers } from "./significance.ts";

test.each([
  [10, 100, 10, 100, false],
  [10, 100, 60, 100, true],
  [0, 100, 0, 100, false],
  [100, 100, 100, 100, false],
  [1_000, 100_000, 1_300, 100_000, true],
  [10, 19, 0, 100, undefined],
])("shares %d of %d and %d of %d", (count, of, others, ofOthers, differs) => {
  expect(shareDiffers({ count, of }, { count: others, of: ofOthers })).toBe(differs);
});

test.each([
  [[[80, 50]], [[80, 50]], false],
  [[[80, 50]], [[88, 50]], true],
  [
    [
      [80, 10],
      [88, 10],
    ],
    [
      [80, 11],
      [88, 9],
    ],
    false,
  ],
  [
    [
      [80, 5_000],
      [88, 5_000],
    ],
    [
      [80, 6_000],
      [88, 4_000],
    ],
    true,
  ],
  [[[80, 50]], [[160, 19]], undefined],
  [[], [], undefined],
] as const)("durations %j and %j", (a, b, differs) => {
  expect(durationDiffers(a, b)).toBe(differs);
});

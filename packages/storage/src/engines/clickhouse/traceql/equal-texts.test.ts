import { expect, test } from "vitest";
import { equalTexts } from "./equal-texts.ts";

test.each([
  ["x", [["string", "x"]]],
  [true, [["bool", "true"]]],
  [
    503n,
    [
      ["int", "503"],
      ["double", "503"],
    ],
  ],
  [
    -0,
    [
      ["int", "0"],
      ["double", "0"],
      ["double", "-0"],
    ],
  ],
  [1.5, [["double", "1.5"]]],
  [1e-7, [["double", "1e-7"]]],
  [Number.NEGATIVE_INFINITY, [["double", "-Infinity"]]],
  // The neighbouring double; the direction is reversed.
  [
    2n ** 53n + 1n,
    [
      ["int", "9007199254740993"],
      ["double", "9007199254740992"],
    ],
  ],
] as const)("%s is stored as %j", (constant, texts) => {
  expect(equalTexts(constant)).toEqual(texts);
});

test.each([2 ** 53, Number.NaN, { kind: "status", value: "ok" } as never])(
  "names no texts that equal %s",
  (constant) => {
    expect(equalTexts(constant)).toBeUndefined();
  },
);

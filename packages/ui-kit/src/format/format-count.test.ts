import { expect, test } from "vitest";
import { formatCount } from "./format-count.ts";

test.each([
  0,
  7,
  999,
  1_000,
  12_345,
  999_999,
  1_000_000,
  123_456_789,
  -1,
  -123,
  -1_234,
  0.5,
  1_234.5,
  2 ** 53,
])("%d is written as the browser would", (value) => {
  expect(formatCount(value)).toBe(value.toLocaleString("en"));
});

test("what is no plain number stays as it is", () => {
  expect([1e21, Number.NaN, Number.POSITIVE_INFINITY].map(formatCount)).toEqual(["1e+21", "NaN", "Infinity"]);
});

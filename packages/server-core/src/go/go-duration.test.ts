import { expect, test } from "vitest";
import { formatGoDuration } from "./go-duration.ts";

test.each([
  [0, "0s"],
  [0.000001, "1ns"],
  [0.05445, "54.45µs"],
  [0.999999, "999.999µs"],
  [1, "1ms"],
  [1.5, "1.5ms"],
  [999.9999999, "1s"],
  [2_250, "2.25s"],
  [62_250, "1m2.25s"],
  [60_000, "1m0s"],
  [3_600_000, "1h0m0s"],
  [90_061_000, "25h1m1s"],
  [-1.5, "-1.5ms"],
])("%d ms is %s", (ms, text) => {
  expect(formatGoDuration(ms)).toBe(text);
});

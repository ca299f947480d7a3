import { expect, test } from "vitest";
import { durationText } from "./format-duration.ts";

test.each([
  [0, "0 µs"],
  [-10, "0 µs"],
  [Number.NaN, "0 µs"],
  [5, "5 µs"],
  [842, "842 µs"],
  [12.5, "12.5 µs"],
  [999, "999 µs"],
  [1_000, "1.00 ms"],
  [1_240, "1.24 ms"],
  [999_499, "999 ms"],
  [999_500, "1.00 s"],
  [1_843_000, "1.84 s"],
  [12_345_678, "12.3 s"],
  [59_950_000, "1:00 min"],
  [125_000_000, "2:05 min"],
  [3_599_400_000, "59:59 min"],
  [3_725_000_000, "1:02:05 h"],
])("%d µs is printed as %s", (us, text) => {
  expect(durationText(us).replace("\u00a0", " ")).toBe(text);
});

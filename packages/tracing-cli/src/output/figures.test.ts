import { expect, test } from "vitest";
import { durationText, shareText } from "./figures.ts";

test.each([
  [0, "0 µs"],
  [12.34, "12.3 µs"],
  [999, "999 µs"],
  [1_234, "1.23 ms"],
  [12_345, "12.3 ms"],
  [999_940, "1000 ms"],
  [1_500_000, "1.50 s"],
  [59_990_000, "60.0 s"],
  [72_000_000, "1m 12s"],
  [3_599_600_000, "1h 0m"],
  [7_500_000_000, "2h 5m"],
  [-1_234, "-1.23 ms"],
])("%d µs read %s", (micros, text) => {
  expect(durationText(micros)).toBe(text);
});

test("a share of nothing is none", () => {
  expect([shareText(0, 0), shareText(0, 5), shareText(1, 8)]).toEqual(["-", "0 %", "12.5 %"]);
});

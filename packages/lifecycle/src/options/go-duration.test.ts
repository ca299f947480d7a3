import { expect, test } from "vitest";
import { parseGoDuration } from "./go-duration.ts";

test.each([
  ["0", 0],
  ["300ms", 300],
  ["1.5s", 1500],
  ["2h45m", 9_900_000],
  ["10us", 0.01],
  [".5s", 500],
  ["1d", 86_400_000],
])("reads %s as %d ms", (text, ms) => {
  expect(parseGoDuration(text)).toBeCloseTo(ms, 9);
});

test.each(["", "3", "1x", "-1s", "1 s", "s", "1s2", "1.s.", "Infinity"])("refuses %j", (text) => {
  expect(parseGoDuration(text)).toBeUndefined();
});

import { expect, test } from "vitest";
import { parseDuration } from "./parse-duration.ts";

test.each([
  ["0", 0],
  ["300ms", 300_000],
  ["1.5s", 1_500_000],
  [".5s", 500_000],
  ["2h45m", 9_900_000_000],
  ["1m30s", 90_000_000],
  ["12µs", 12],
  ["12us", 12],
])("%s is %d µs", (text, us) => {
  expect(parseDuration(text)).toBe(us);
});

test.each(["", "3", "ms", "3 ms", "-1s", "1.5.2s", "1sx", "1d"])("%j is refused", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

import { expect, test } from "vitest";
import { awayText } from "./time-left.ts";

test.each([
  [-1, "0 seconds ago"],
  [-1_000, "1 second ago"],
  [-119_999, "119 seconds ago"],
  [-3 * 60_000, "3 minutes ago"],
  [5 * 3_600_000, "in 5 hours"],
  [89 * 86_400_000, "in 89 days"],
])("%d ms away is %s", (ms, text) => {
  expect(awayText(ms)).toBe(text);
});

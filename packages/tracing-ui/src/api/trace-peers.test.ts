import { expect, test } from "vitest";
import { percentileText } from "./trace-peers.ts";

test.each([
  [0, "p0"],
  [0.5, "p50"],
  [0.9789, "p97"],
  [0.99, "p99"],
  [0.9996, "p99.9"],
  [1, "max"],
])("%d reads %s", (percentile, text) => {
  expect(percentileText(percentile)).toBe(text);
});

import { expect, test } from "vitest";
import { durationText } from "./duration-text.ts";

test.each([
  [0n, "0s"],
  [7n, "7ns"],
  [1_500n, "1.5µs"],
  [112_857_142n, "112.857142ms"],
  [-900_000_000n, "-900ms"],
  [62_500_000_000n, "1m2.5s"],
  [3_600_000_000_000n, "1h0m0s"],
])("%d ns is %s", (nano, text) => {
  expect(durationText(nano)).toBe(text);
});

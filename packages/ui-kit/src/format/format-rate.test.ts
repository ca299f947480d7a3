import { expect, test } from "vitest";
import { formatRate, formatShare } from "./format-rate.ts";

test.each([
  [0, "0/s"],
  [Number.NaN, "0/s"],
  [0.02, "1.2/min"],
  [1.234, "1.23/s"],
  [999.4, "999/s"],
  [999.6, "1.00k/s"],
  [2_340_000, "2.34M/s"],
])("%d a second is %s", (rate, text) => {
  const { figure, unit } = formatRate(rate);
  expect(figure + unit).toBe(text);
});

test.each([
  [0, "0"],
  [0.00001, "<0.01"],
  [0.0123, "1.2"],
  [0.05, "5"],
  [0.456, "46"],
  [1, "100"],
])("a share of %d is %s %%", (share, text) => {
  expect(formatShare(share)).toBe(text);
});

import { expect, test } from "vitest";
import { estimateText } from "./estimate-text.ts";

test.each([
  [null, "not sampled"],
  [0, "≈ 0 B"],
  [7, "≈ 7 B"],
  [999, "≈ 1000 B"],
  [1_003, "≈ 1.0 kB"],
  [12_345, "≈ 12 kB"],
  [456_789, "≈ 460 kB"],
  [999_600, "≈ 1.0 MB"],
  [1.234e12, "≈ 1.2 TB"],
  [1.2e21, "≈ 1200000 PB"],
])("%s bytes are %s", (bytes, text) => {
  expect(estimateText(bytes)).toBe(text);
});

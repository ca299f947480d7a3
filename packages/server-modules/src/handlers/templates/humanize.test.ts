import { expect, test } from "vitest";
import { humanize } from "./humanize.ts";

test.each([
  ["0", "0 B"],
  ["999", "999 B"],
  ["1500", "1.5 kB"],
  ["2048000", "2.0 MB"],
  ["123456789", "124 MB"],
])("%s bytes are %s", (bytes, expected) => {
  expect(humanize("size", bytes)).toBe(expected);
});

test.each([
  ["2024-01-01T00:00:00Z", "now"],
  ["2023-12-31T23:59:58Z", "2 seconds ago"],
  ["2024-01-04T00:00:00Z", "3 days from now"],
  ["2023-12-20T00:00:00Z", "1 week ago"],
  ["2000-05-05T13:04:05Z", "24 years ago"],
  ["1900-01-01T00:00:00Z", "a long while ago"],
])("%s, seen from the first of January 2024, is %s", (time, expected) => {
  expect(humanize("time", time, Date.UTC(2024, 0, 1))).toBe(expected);
});

import { expect, test } from "vitest";
import { humanize } from "./humanize.ts";

test.each([
  ["0", "0 B"],
  ["999", "999 B"],
  ["1500", "1.5 kB"],
  ["2048000", "2.0 MB"],
  ["12500", "13 kB"],
  ["13500", "14 kB"],
  ["123456789", "124 MB"],
])("%s bytes are %s", (bytes, expected) => {
  expect(humanize("size", bytes)).toBe(expected);
});

test.each([
  ["size", "x"],
  ["time", "x"],
  ["time:2006-01-02", "2020-02-30"],
])("%s of %j is refused", (format, value) => {
  expect(() => humanize(format, value)).toThrow("cannot be parsed");
});

test.each([
  ["time", "Mon, 25 Dec 2023 01:00:00 +0100", "1 week ago"],
  ["time:2006-Jan-02", "2023-Dec-24", "1 week ago"],
])("%s reads %j by its layout", (format, value, expected) => {
  expect(humanize(format, value, Date.UTC(2024, 0, 1))).toBe(expected);
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

import { describe, expect, test } from "vitest";
import { formatDurationNano, parseDurationNano } from "./go-duration.ts";

describe("parseDurationNano", () => {
  test.each([
    ["0", 0n],
    ["+0", 0n],
    ["1.5s", 1_500_000_000n],
    ["300ms", 300_000_000n],
    ["2h45m", 9_900_000_000_000n],
    ["-1m", -60_000_000_000n],
    ["7us", 7_000n],
    ["7µs", 7_000n],
    ["7μs", 7_000n],
    [".5ms", 500_000n],
    ["1.s", 1_000_000_000n],
    ["0.0000000019s", 1n],
    ["9223372036854775807ns", 9_223_372_036_854_775_807n],
  ])("%s", (text, nano) => {
    expect(parseDurationNano(text)).toBe(nano);
  });

  test.each([
    ["3", 'time: missing unit in duration "3"'],
    ["1s3", 'time: missing unit in duration "1s3"'],
    ["", 'time: invalid duration ""'],
    ["-", 'time: invalid duration "-"'],
    ["abc", 'time: invalid duration "abc"'],
    [".s", 'time: invalid duration ".s"'],
    ["1d", 'time: unknown unit "d" in duration "1d"'],
    ["1µ", 'time: unknown unit "\\xc2\\xb5" in duration "1\\xc2\\xb5"'],
    ['1"', 'time: unknown unit "\\"" in duration "1\\""'],
    ["9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'],
    ["3000000h", 'time: invalid duration "3000000h"'],
  ])("refuses %j", (text, message) => {
    expect(() => parseDurationNano(text)).toThrow(
      expect.objectContaining({ code: "QUERY_BAD_PARAMETER", message }),
    );
  });
});

test.each([
  [0n, "0s"],
  [1n, "1ns"],
  [-99_500n, "-99.5µs"],
  [1_100_000n, "1.1ms"],
  [1_500_000_000n, "1.5s"],
  [60_000_000_000n, "1m0s"],
  [9_900_000_000_001n, "2h45m0.000000001s"],
])("formats %d ns as %s", (nano, text) => {
  expect(formatDurationNano(nano)).toBe(text);
});

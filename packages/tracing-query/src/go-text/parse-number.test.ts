import { expect, test } from "vitest";
import { isTrue, parseFloatText, parseInteger } from "./parse-number.ts";

test.each([
  ["0", 64, 0n],
  ["-12", 64, -12n],
  ["+12", 32, 12n],
  ["9223372036854775807", 64, 2n ** 63n - 1n],
] as const)("parseInteger reads %s in %d bits", (text, bits, value) => {
  expect(parseInteger(text, bits)).toBe(value);
});

test.each([
  ["a", 64, 'strconv.ParseInt: parsing "a": invalid syntax'],
  ["", 64, 'strconv.ParseInt: parsing "": invalid syntax'],
  ["1_0", 64, 'strconv.ParseInt: parsing "1_0": invalid syntax'],
  ["0x1", 64, 'strconv.ParseInt: parsing "0x1": invalid syntax'],
  ['"\n\x01é\u200b', 64, 'strconv.ParseInt: parsing "\\"\\n\\x01é\\u200b": invalid syntax'],
  ["2147483648", 32, 'strconv.ParseInt: parsing "2147483648": value out of range'],
  ["-9223372036854775809", 64, 'strconv.ParseInt: parsing "-9223372036854775809": value out of range'],
] as const)("parseInteger refuses %j in %d bits", (text, bits, message) => {
  expect(() => parseInteger(text, bits)).toThrow(expect.objectContaining({ message }));
});

test.each([
  ["1", 1],
  ["-1.", -1],
  [".5", 0.5],
  ["1.5e3", 1500],
])("parseFloatText reads %s", (text, value) => {
  expect(parseFloatText(text)).toBe(value);
});

test.each([".", "", "1e", "1x", `${"1".repeat(500_000)}x`])("parseFloatText refuses %.10s", (text) => {
  expect(() => parseFloatText(text)).toThrow("invalid syntax");
});

test("isTrue knows the six spellings of true", () => {
  expect(["1", "t", "T", "TRUE", "true", "True"].every(isTrue)).toBe(true);
  expect(["", "0", "false", "yes", "tRue"].some(isTrue)).toBe(false);
});

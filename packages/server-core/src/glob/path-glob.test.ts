import fc from "fast-check";
import { expect, test } from "vitest";
import { compileGlob, isGlob } from "./path-glob.ts";

test.each([
  ["abc", "abc", true],
  ["*", "abc", true],
  ["*c", "abc", true],
  ["a*", "a", true],
  ["a*", "ab/c", false],
  ["a*/b", "abc/b", true],
  ["a*b*c*d*e*/f", "axbxcxdxe/f", true],
  ["a*b?c*x", "abxbbxdbxebxczzx", true],
  ["a*b?c*x", "abxbbxdbxebxczzy", false],
  ["ab[c]", "abc", true],
  ["ab[b-d]", "abc", true],
  ["ab[e-g]", "abc", false],
  ["ab[^c]", "abc", false],
  ["ab[^e-g]", "abc", true],
  ["a\\*b", "a*b", true],
  ["a\\*b", "ab", false],
  ["a?b", "a☺b", true],
  ["a?b", "a/b", false],
  ["a[^a]b", "a☺b", true],
  ["[\\]a]", "]", true],
  ["[\\-]", "-", true],
  ["*x", "xxx", true],
])("%s and %s: %s", (pattern, path, expected) => {
  expect(compileGlob(pattern)?.(path)).toBe(expected);
});

test.each(["[]a]", "[-]", "[x-]", "[-x]", "[a-b-c]", "[", "[^", "[^bc", "a[", "a\\"])(
  "%s is malformed",
  (pattern) => {
    expect(compileGlob(pattern)).toBeUndefined();
  },
);

test("an escaped text matches itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const escaped = text.replace(/[*?[\\]/g, "\\$&");
      expect(compileGlob(escaped)?.(text)).toBe(true);
      expect(isGlob(text)).toBe(escaped !== text);
    }),
  );
});

test("many stars cost no exponential time", () => {
  expect(compileGlob(`${"*a".repeat(30)}*b`)?.("a".repeat(10_000))).toBe(false);
});

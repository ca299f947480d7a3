import fc from "fast-check";
import { expect, test } from "vitest";
import { LinearRegexp } from "./linear-regexp.ts";

test.each([
  ["^/a/(\\d+)$", "/a/12", ["/a/12", "12"]],
  ["(?P<x>b)(c)?", "abd", ["b", "b", undefined]],
  ["(?i)FOO", "a foo", ["foo"]],
  ["x", "abc", undefined],
])("%s finds in %s", (pattern, text, groups) => {
  expect(new LinearRegexp(pattern).find(text)?.groups).toEqual(groups);
});

test("knows its groups by name", () => {
  expect(new LinearRegexp("(a)(?P<n>b)").groupNames).toEqual(["", "", "n"]);
});

test.each([
  ["o", "foo", "0", "f00"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax that is tested
  ["(\\w+) (\\w+)", "a b", "$2 ${1}", "b a"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax that is tested
  ["(?P<first>\\w+) .*", "a b", "${first}!", "a!"],
  ["(a)", "a", "$1x", ""],
  ["(a)", "a", "$$1", "$1"],
  ["(a)|b", "ab", "[$1]", "[a][]"],
  ["x*", "abc", "-", "-a-b-c-"],
  ["x*", "😀", "-", "-😀-"],
  ["a*", "baac", "-", "-b-c-"],
  ["^a", "aaa", "b", "baa"],
])("%s in %s by %s is %s", (pattern, text, replacement, expected) => {
  expect(new LinearRegexp(pattern).replaceAll(text, replacement)).toBe(expected);
});

test.each(["(", "a(?=b)", "(a)\\1", "a".repeat(10_001)])("refuses %s", (pattern) => {
  expect(() => new LinearRegexp(pattern)).toThrow(/regular expression/);
});

test("a pattern that backtracks elsewhere is linear here", () => {
  expect(new LinearRegexp("^(a+)+$").test(`${"a".repeat(20_000)}b`)).toBe(false);
});

test.each(["(a+)+$", "(a|aa)+$", "([a-z]+)+$", "(.*a){20}$", "(b|a*a*)*c"])(
  "%s refuses a long text at once",
  (pattern) => {
    const text = `${"a".repeat(50_000)}!`;
    expect(new LinearRegexp(pattern).find(text)).toBeUndefined();
    expect(new LinearRegexp(pattern).replaceAll(text, "x")).toBe(text);
  },
);

test("matches that are far to find end with an error before they take long", () => {
  const text = "a".repeat(50_000);
  const before = process.threadCpuUsage();
  expect(() => new LinearRegexp("(a+)+b|a").replaceAll(text, "x")).toThrow(/takes over 250 ms/);
  // Without the limit this would take minutes.
  expect(process.threadCpuUsage(before).user).toBeLessThan(20_000_000);
});

test("many matches that are near are no trouble", () => {
  expect(new LinearRegexp("a").replaceAll("ab".repeat(10_000), "c")).toBe("cb".repeat(10_000));
});

test("a text that is too long for a large pattern is refused", () => {
  const regexp = new LinearRegexp("(?:(?:a?){30}){30}$");
  expect(() => regexp.find("a".repeat(200_000))).toThrow(/a text of 200000 characters, limit \d+/);
  expect(() => regexp.test("a".repeat(200_000))).toThrow(/limit/);
});

test("references that do not end take linear time", () => {
  const replacement = "${".repeat(200_000);
  expect(new LinearRegexp("b").replaceAll("abc", replacement)).toBe(`a${replacement}c`);
});

test("replacing literal text agrees with the language", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.constantFrom("a", "ab", " ", "é"), (text, part) => {
      expect(new LinearRegexp(part).replaceAll(text, "<>")).toBe(text.replaceAll(part, "<>"));
    }),
  );
});

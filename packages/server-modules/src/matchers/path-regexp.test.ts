import { compileTemplate } from "http-engine/placeholders";
import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionMatcher } from "../../../admin-server/src/testing/provision-module.ts";

test.each([
  ["/", "/", true],
  ["^/foo", "/foo/bar", true],
  ["^/foo$", "//foo", true],
  ["^/foo$", "/x/../foo", true],
  ["/bar", "/foo/bar", true],
  ["^/FOO", "/foo", false],
  ["(?i)^/FOO", "/foo", true],
  ["^/ä$", "/%C3%A4", true],
  ["^/(a+)+$", `/${"a".repeat(5000)}!`, false],
])("%s and %.20s: %s", async (pattern, target, expected) => {
  const matcher = await provisionMatcher("path_regexp", { pattern });
  expect(matcher.matches(makeExchange({ target }))).toBe(expected);
});

test("captures by number and name, with the matcher's name and without", async () => {
  const matcher = await provisionMatcher("path_regexp", { name: "m", pattern: "/(?P<what>\\w+)/(\\d*)" });
  const exchange = makeExchange({ target: "/users/12" });
  expect(matcher.matches(exchange)).toBe(true);
  const text =
    "{http.regexp.m.0}|{http.regexp.m.what}|{http.regexp.m.2}|{http.regexp.what}|{http.regexp.m.9}|";
  expect(compileTemplate(text)(exchange)).toBe("/users/12|users|12|users||");
});

test("a name without a word character is refused", async () => {
  await expect(provisionMatcher("path_regexp", { name: "-", pattern: "a" })).rejects.toThrow(
    "invalid regexp name (must contain only word characters): -",
  );
});

import { compileTemplate } from "http-engine/placeholders";
import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionMatcher } from "../../../admin-server/src/testing/provision-module.ts";

test("all fields must match; captures become placeholders", async () => {
  const matcher = await provisionMatcher("header_regexp", {
    Field: { name: "f", pattern: "^v(?P<n>\\d+)$" },
    Host: { pattern: "^(\\w+)\\." },
  });
  expect(matcher.matches(makeExchange({ headers: ["Field", "x"] }))).toBe(false);
  expect(matcher.matches(makeExchange({ headers: ["Other", "v1"] }))).toBe(false);
  const exchange = makeExchange({ headers: ["field", "x", "field", "v12"] });
  expect(matcher.matches(exchange)).toBe(true);
  const text = "{http.regexp.f.n} {http.regexp.f.1} {http.regexp.1} {http.regexp.n}";
  expect(compileTemplate(text)(exchange)).toBe("12 12 example 12");
});

test("a character of UTF-8 is one character, and so is a byte that is none", async () => {
  const matcher = await provisionMatcher("header_regexp", { Field: { name: "f", pattern: "^(.)$" } });
  for (const [sent, text] of [
    ["\xc3\xbc", "ü"],
    ["\xfc", "\udcfc"],
  ] as const) {
    const exchange = makeExchange({ headers: ["Field", sent] });
    expect(matcher.matches(exchange)).toBe(true);
    expect(compileTemplate("{http.regexp.f.1}")(exchange)).toBe(text);
  }
});

test("a pattern that RE2 does not know is refused", async () => {
  await expect(provisionMatcher("header_regexp", { F: { pattern: "a(?!b)" } })).rejects.toThrow(
    /regular expression "a\(\?!b\)"/,
  );
});

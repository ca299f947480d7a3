import fc from "fast-check";
import { expect, test } from "vitest";
import { formatQuery, parseQuery } from "./query-parameters.ts";

test.each([
  ["", {}, true],
  ["?", {}, true],
  ["?a=1&a=2&b", { a: ["1", "2"], b: [""] }, true],
  ["a+b=%20c&=x", { "a b": [" c"], "": ["x"] }, true],
  ["a=%zz&b=1", { b: ["1"] }, false],
  ["a=1;b=2&c=3", { c: ["3"] }, false],
  ["a=%ff", { a: ["\udcff"] }, true],
])("%s", (query, parameters, whole) => {
  const found = parseQuery(query);
  expect(Object.fromEntries(found.parameters)).toEqual(parameters);
  expect(found.whole).toBe(whole);
});

test("reads what the platform writes", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }))),
      (pairs) => {
        const query = new URLSearchParams(pairs).toString();
        const expected = new Map<string, string[]>();
        for (const [name, value] of new URLSearchParams(query)) {
          expected.set(name, [...(expected.get(name) ?? []), value]);
        }
        expect(parseQuery(query).parameters).toEqual(expected);
      },
    ),
  );
});

test("reads back what it writes", () => {
  const text = fc.string({ unit: "grapheme" });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.array(text, { minLength: 1 }))), (pairs) => {
      const parameters = new Map(pairs);
      expect(parseQuery(formatQuery(parameters))).toEqual({ parameters, whole: true });
    }),
  );
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseLogfmt } from "./logfmt.ts";

test.each([
  ["", {}],
  ["a=b", { a: "b" }],
  ["  a=b\tc=d\n", { a: "b", c: "d" }],
  ['a="b c" d', { a: "b c", d: "" }],
  ["a= b=c", { a: "", b: "c" }],
  [String.raw`a="\"quoted\" \\ \n\u00e9\x"`, { a: '"quoted" \\ \néx' }],
  [' service.name="shop" name="GET /"', { "service.name": "shop", name: "GET /" }],
  ["__proto__=1", { ["__proto__"]: "1" }],
])("%j", (text, pairs) => {
  expect(parseLogfmt(text)).toEqual(new Map(Object.entries(pairs)));
});

test.each([
  ["=a", "invalid tags: unexpected '=' at pos 1"],
  ['a="b', "invalid tags: unterminated quoted value at pos 5"],
  ["a=b=c", "invalid tags: unexpected '=' at pos 4"],
  ['a="b"c', "invalid tags: unexpected 'c' at pos 6"],
  ['a"b"', `invalid tags: unexpected '"' at pos 2`],
  ["a=b a=c", "invalid tags: tag a has been set twice"],
])("%j is refused", (text, message) => {
  expect(() => parseLogfmt(text)).toThrow(
    expect.objectContaining({ code: "QUERY_BAD_PARAMETER", message, parameter: "tags" }),
  );
});

test("what is written in quotes is read", () => {
  const key = fc.stringMatching(/^[a-z.]{1,8}$/);
  fc.assert(
    fc.property(fc.dictionary(key, fc.string({ unit: "grapheme" })), (pairs) => {
      const quoted = (value: string) => `"${value.replace(/["\\]/g, "\\$&")}"`;
      const text = Object.entries(pairs).map(([name, value]) => `${name}=${quoted(value)}`);
      expect(parseLogfmt(text.join(" "))).toEqual(new Map(Object.entries(pairs)));
    }),
  );
});

test("of any text, an answer or a complaint", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        expect(parseLogfmt(text)).toBeInstanceOf(Map);
      } catch (error) {
        expect(error).toMatchObject({ code: "QUERY_BAD_PARAMETER" });
      }
    }),
  );
});

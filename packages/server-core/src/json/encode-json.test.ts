import fc from "fast-check";
import { expect, test } from "vitest";
import { ServerError } from "../errors.ts";
import { encodeDocument, encodeJson, maxJsonDepth } from "./encode-json.ts";
import type { JsonValue } from "./json-value.ts";

test.each<[string, JsonValue, string]>([
  ["keys are sorted", { b: 1, a: [true, null] }, '{"a":[true,null],"b":1}'],
  ["keys that look like numbers too", { 10: 1, 9: 2 }, '{"10":1,"9":2}'],
  ["keys are sorted by UTF-8 bytes", { "\u{1f600}": 1, "\uffee": 2 }, '{"\uffee":2,"\u{1f600}":1}'],
  ["markup and line separators are escaped", "<&>\u2028\u2029", '"\\u003c\\u0026\\u003e\\u2028\\u2029"'],
  ["control characters are escaped", "\u0000\b\f\n\u007f", '"\\u0000\\b\\f\\n\u007f"'],
  ["lone surrogates are replaced", "\ud800", '"\ufffd"'],
  ["numbers are doubles", [1e21, 1e-7, -0, 0.1, 1e6], "[1e+21,1e-7,-0,0.1,1000000]"],
])("%s", (_, value, expected) => {
  expect(encodeJson(value)).toBe(expected);
});

test("a key named __proto__ is a key like any other", () => {
  expect(encodeJson(JSON.parse('{"__proto__":{"x":1}}') as JsonValue)).toBe('{"__proto__":{"x":1}}');
});

test("refuses what a double cannot hold, and what is too deep", () => {
  expect(() => encodeJson(JSON.parse("1e999") as JsonValue)).toThrow(ServerError);
  const nested = (depth: number) => JSON.parse("[".repeat(depth) + "]".repeat(depth)) as JsonValue;
  expect(encodeJson(nested(maxJsonDepth))).toHaveLength(2 * maxJsonDepth);
  expect(() => encodeJson(nested(maxJsonDepth + 1))).toThrow("limit of 1000 levels");
  expect(() => encodeJson(nested(300_000))).toThrow("limit of 1000 levels");
});

/** The platform's JSON for the same value, with sorted keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, child]) => [key, sorted(child)]),
      )
    : value;
}

test("long texts at any place are written as short ones are, and again after a change", () => {
  const text = fc.oneof(fc.string(), fc.constantFrom("", "x".repeat(20_000), "y".repeat(100)));
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.string({ unit: fc.constantFrom("a", "b", "c") }), tie("value"), { maxKeys: 4 }),
    ),
  }));
  const plain = (each: JsonValue) =>
    JSON.stringify(sorted(each)).replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
  fc.assert(
    fc.property(value, value, (kept, other) => {
      for (const document of [kept, [kept, other], { a: kept, b: [other, kept] }]) {
        expect(encodeJson(document)).toBe(plain(document));
      }
    }),
    { numRuns: 50 },
  );
});

test("a long list is written anew where it changed, wherever that is", () => {
  const element = (id: number): JsonValue => ({ id, ...(id % 7 === 0 ? { "@id": `n${id}` } : {}) });
  const changes = fc.array(
    fc.record({ at: fc.nat(40), take: fc.nat(2), put: fc.array(fc.nat(100), { maxLength: 2 }) }),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(changes, (list) => {
      let elements = Array.from({ length: 30 }, (_, id) => element(id));
      for (const { at, take, put } of list) {
        elements = elements.toSpliced(at, take, ...put.map(element));
        expect(encodeDocument({ a: elements })).toEqual({
          text: JSON.stringify(sorted({ a: elements })),
          hasIds: elements.some((each) => Object.hasOwn(each as object, "@id")),
          hasPrototypeKeys: false,
        });
      }
    }),
    { numRuns: 100 },
  );
});

test("a long list that was written before is held to the depth of where it stands now", () => {
  const list = (bottom: JsonValue) => Array.from({ length: 20 }, (): JsonValue => [bottom]);
  const below = (depth: number, value: JsonValue): JsonValue =>
    depth === 0 ? value : [below(depth - 1, value)];
  for (const [value, levels] of [
    [list(1), 2],
    [list([]), 3],
    [Array.from({ length: 20 }, () => 1), 1],
  ] as const) {
    expect(encodeJson(value)).toBe(JSON.stringify(value));
    expect(encodeJson(below(maxJsonDepth - levels, value))).toHaveLength(
      JSON.stringify(value).length + 2 * (maxJsonDepth - levels),
    );
    expect(() => encodeJson(below(maxJsonDepth - levels + 1, value))).toThrow("limit of 1000 levels");
  }
});

test("more pieces than are kept apart come out whole", () => {
  const long = "x".repeat(20_000);
  const document = [[long, ...Array.from({ length: 10_000 }, (_, index) => index)], long];
  expect(encodeJson(document)).toBe(JSON.stringify(document));
});

test("says which special keys a document has, also in what was written before", () => {
  const long = "x".repeat(20_000);
  const inner = { "@id": "a", text: "y".repeat(100) };
  const prototype = JSON.parse(`{"a":[{"__proto__":"${"z".repeat(100)}"}]}`) as JsonValue;
  for (let round = 0; round < 2; round++) {
    expect(encodeDocument({ a: [inner, long] })).toMatchObject({ hasIds: true, hasPrototypeKeys: false });
    expect(encodeDocument({ a: prototype })).toMatchObject({ hasIds: false, hasPrototypeKeys: true });
    expect(encodeDocument({ a: ["@id", { b: "__proto__", c: long }] })).toMatchObject({
      hasIds: false,
      hasPrototypeKeys: false,
    });
  }
});

import { expect, test } from "vitest";
import { ServerError } from "../errors.ts";
import { encodeJson, maxJsonDepth } from "./encode-json.ts";
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

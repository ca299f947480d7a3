import { expect, test } from "vitest";
import { maxJsonDepth } from "./encode-json.ts";
import { maxJsonValues } from "./json-limits.ts";
import { parseJson } from "./parse-json.ts";

const parse = (text: string) => parseJson(Buffer.from(text));

test("refuses what is too deep, whether JSON or not", () => {
  expect(parse("[".repeat(maxJsonDepth) + "]".repeat(maxJsonDepth))).toBeInstanceOf(Array);
  expect(() => parse("[".repeat(maxJsonDepth + 1) + "]".repeat(maxJsonDepth + 1))).toThrow(
    "nested deeper than the limit of 1000 levels",
  );
  expect(() => parse("[".repeat(2_000_000))).toThrow("limit of 1000 levels");
  expect(() => parse('{"a":'.repeat(2_000))).toThrow("limit of 1000 levels");
});

test("refuses too many values", () => {
  expect(parse(`[${"1,".repeat(maxJsonValues - 2)}1]`)).toHaveLength(maxJsonValues - 1);
  expect(() => parse(`[${"1,".repeat(maxJsonValues - 1)}1]`)).toThrow(
    "more values than the limit of 1000000",
  );
  expect(() => parse(`{"apps":[${"{},".repeat(maxJsonValues)}{}]}`)).toThrow("limit of 1000000");
});

test("brackets and commas in strings do not count", () => {
  const text = `\\"${"[{,".repeat(maxJsonValues)}\\\\`;
  expect(parse(`["${text}"]`)).toEqual([JSON.parse(`"${text}"`)]);
});

test("says where a long broken document is broken", () => {
  const escapes = "\\u00e9\\n".repeat(500_000);
  expect(() => parse(`["${escapes}" x`)).toThrow(
    `invalid character 'x' after array element, at offset ${escapes.length + 5}`,
  );
});

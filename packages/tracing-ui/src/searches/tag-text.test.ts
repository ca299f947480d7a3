import { expect, test } from "vitest";
import { parseTagText, tagText } from "./tag-text.ts";

test.each<[string, Record<string, string>]>([
  ["", {}],
  ["error=true", { error: "true" }],
  ["  error=true   http.status_code=503 ", { error: "true", "http.status_code": "503" }],
  ['http.url="/a b?x=1"', { "http.url": "/a b?x=1" }],
  ['"odd key"=x', { "odd key": "x" }],
  ['say="\\"hi\\" \\\\"', { say: '"hi" \\' }],
  ["sql=a=b", { sql: "a=b" }],
  ['empty=""', { empty: "" }],
  ['{"error":"true","n":3}', { error: "true", n: "3" }],
])("%s", (text, tags) => {
  expect(parseTagText(text)).toEqual({ ok: true, tags });
  expect(parseTagText(tagText(tags))).toEqual({ ok: true, tags });
});

test.each([
  ["error", "error is not a tag. Write error=value"],
  ["a=1 b", "b is not a tag"],
  ["a=", 'a= has no value. For an empty one write a=""'],
  ["=1", "=1 is not key=value"],
  ['a="b', "does not close"],
  ['a="b"c', "is not key=value"],
  ["{broken", "Not a JSON object"],
])("%s is refused in words that help", (text, message) => {
  expect(parseTagText(text)).toEqual({ ok: false, message: expect.stringContaining(message) });
});

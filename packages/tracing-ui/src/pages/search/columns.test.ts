import { expect, test } from "vitest";
import { attributeParts, columnsOf, isAttribute } from "./columns.ts";

test.each([
  [undefined, []],
  ["", []],
  ["span.a,resource.b , name", ["span.a", "resource.b", "name"]],
  ['span."a,b",.c', ['span."a,b"', ".c"]],
  ["span.a,span.a,) | x(", ["span.a"]],
  [
    Array.from({ length: 12 }, (_, index) => `.a${index}`).join(","),
    [0, 1, 2, 3, 4, 5, 6, 7].map((n) => `.a${n}`),
  ],
])("columns of %j", (text, columns) => {
  expect(columnsOf(text)).toEqual(columns);
});

test.each([
  ["span.http.method", true],
  ["event:name", true],
  ["resource.größe", true],
  ["span.", false],
  ["span.a b", false],
  ["name, kind", false],
  ["count()", false],
])("%j is one attribute: %s", (text, is) => {
  expect(isAttribute(text)).toBe(is);
});

test.each([
  ['span."a \\"b"', { scope: "span", key: 'a "b' }],
  [".x", { scope: "", key: "x" }],
  ["name", undefined],
])("parts of %s", (text, parts) => {
  expect(attributeParts(text)).toEqual(parts);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { connectionWords, readFieldLines } from "./field-lines.ts";

test.each<[string, string, string[] | undefined]>([
  ["none", "", []],
  ["white space around values goes", "A: \t b c \t\r\nB:\r\n", ["A", "b c", "B", ""]],
  ["a colon in a value", "Host: [::1]:80\r\n", ["Host", "[::1]:80"]],
  ["bytes above ASCII", "A: \xe9\r\n", ["A", "\xe9"]],
  ["a folded line", "A: b\r\n c\r\n", undefined],
  ["white space before the colon", "A : b\r\n", undefined],
  ["no name", ": b\r\n", undefined],
  ["no colon", "A\r\n", undefined],
  ["a bare LF", "A: b\nC: d\r\n", undefined],
  ["a bare CR", "A: b\rc\r\n", undefined],
  ["a NUL", "A: b\0\r\n", undefined],
])("%s", (_name, text, fields) => {
  expect(readFieldLines(`GET / HTTP/1.1\r\n${text}`, 16)).toEqual(fields);
});

test("what is written is read", () => {
  const name = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,20}$/);
  const value = fc.stringMatching(/^(?:[!-~]{1,10}(?: [!-~]{1,10})*)?$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), (fields) => {
      const text = fields.map(([each, of]) => `${each}: ${of}\r\n`).join("");
      expect(readFieldLines(text, 0)).toEqual(fields.flat());
    }),
  );
});

test("words of Connection", () => {
  expect(connectionWords(",Close, X-A")).toEqual(["", "close", "x-a"]);
  expect(connectionWords("")).toEqual([]);
});

import { expect, test } from "vitest";
import { currentHead, legacyHeadEnd } from "./legacy-head.ts";

test.each([
  ["A: b\n\nbody", { end: 5, body: 6 }],
  ["A: b\n\r\nbody\n\n", { end: 5, body: 7 }],
  ["A: b\r\n\nbody\n\r\n", { end: 6, body: 7 }],
  ["A: b\nC: d\n", undefined],
])("the end of %j", (text, end) => {
  expect(legacyHeadEnd(Buffer.from(text))).toEqual(end);
});

const status = "HTTP/1.1 200 OK\r\n";

test.each([
  ["lines that end with LF", "HTTP/1.1 200 OK\nA: b\nC: d\n", `${status}A: b\r\nC: d\r\n`],
  ["a folded field", `${status}A: b\r\n\t c\r\n d\r\nE: f\r\n`, `${status}A: b c d\r\nE: f\r\n`],
  ["a blank before the colon", `${status}A : b\r\nC: d\r\n`, `${status}C: d\r\n`],
  ["a blank in a name", `${status}C: d\r\nA B: b\r\n`, `${status}C: d\r\n`],
])("%s", (_, text, expected) => {
  expect(currentHead(text)).toBe(expected);
});

test.each([
  ["a status line that goes on", `${status} A: b\r\n`],
  ["a length with a blank before the colon", `${status}Content-Length : 3\r\n`],
  ["a coding with a blank before the colon", `${status}transfer-encoding  : chunked\r\n`],
  ["a CR alone", `${status}A: b\rC: d\r\n`],
])("%s is left as it is", (_, text) => {
  expect(currentHead(text)).toBe(text);
});

test("a long line of blanks and letters costs linear time", () => {
  const line = "a ".repeat(500_000);
  for (const text of [
    `${status}${line}\r\n`,
    `${status}${line}:b\r\n`,
    `${status}${"\n ".repeat(300_000)}\n`,
  ]) {
    expect(currentHead(text).length).toBeLessThanOrEqual(2 * text.length);
  }
});

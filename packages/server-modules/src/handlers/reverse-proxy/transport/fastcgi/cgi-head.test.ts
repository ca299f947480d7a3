import { expect, test } from "vitest";
import { parseCgiHead } from "./cgi-head.ts";

test("values are without the blanks around them", () => {
  const { status, headers } = parseCgiHead("Status: 404 Not Found \t\nX:  a b \t\nY:\n");
  expect(status).toBe(404);
  expect(headers).toEqual(["X", "a b", "Y", ""]);
});

test("a name with blanks is no field, nor a length", () => {
  const { headers, length } = parseCgiHead("Content Type: text/plain\r\nContent-Length : 3\r\nA: b\r\n");
  expect([headers, length]).toEqual([["A", "b"], undefined]);
});

test("a value of blanks only, with an error at its end, is refused in linear time", () => {
  expect(() => parseCgiHead(`X:${" ".repeat(500_000)}\x01`)).toThrow(/malformed CGI header/);
});

test("a folded field is one", () => {
  expect(parseCgiHead("X: a\r\n\t b\nY: c\n").headers).toEqual(["X", "a b", "Y", "c"]);
});

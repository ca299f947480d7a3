import { expect, test } from "vitest";
import { markImmutable } from "../immutable-body-cache.ts";
import { stableResponse } from "./stable-response.ts";

const headers = ["Server", "s", "Date", "today", "Content-Length", "2"];

function stable(text: string): Buffer {
  const bytes = Buffer.from(text);
  markImmutable(bytes);
  return bytes;
}

test("the same again is the very same bytes", () => {
  const body = stable("hi");
  const first = stableResponse(200, [...headers], body);
  expect(first?.toString()).toBe(
    "HTTP/1.1 200 OK\r\nServer: s\r\nDate: today\r\nContent-Length: 2\r\n\r\nhi",
  );
  expect(stableResponse(200, [...headers], body)).toBe(first);
});

test.each([
  ["another status", 404, headers],
  ["another value", 200, ["Server", "t", ...headers.slice(2)]],
  ["one field more", 200, [...headers, "A", "b"]],
  ["one field less", 200, headers.slice(2)],
])("%s is another response", (_, status, fields) => {
  const body = stable("hi");
  stableResponse(200, headers, body);
  const other = stableResponse(status, fields, body);
  expect(other).toEqual(stableResponse(status, fields, stable("hi")));
  expect(other).not.toEqual(stableResponse(200, headers, stable("hi")));
});

test("date and length are added where they are missing", () => {
  const text = stableResponse(200, ["A", "b"], stable("hi"))?.toString();
  expect(text).toMatch(/^HTTP\/1.1 200 OK\r\nA: b\r\nDate: [^\r]+ GMT\r\nContent-Length: 2\r\n\r\nhi$/);
});

test.each<[string, number, string[], Buffer]>([
  ["bytes that may change", 200, headers, Buffer.from("hi")],
  ["no bytes", 200, [], stable("")],
  ["a large body", 200, [], stable("x".repeat(16 * 1024 + 1))],
  ["a status without body", 304, headers, stable("hi")],
  ["no final status", 103, headers, stable("hi")],
  ["the last response of a connection", 200, ["Connection", "close"], stable("hi")],
  ["a length that is not the body's", 200, ["Content-Length", "3"], stable("hi")],
])("%s is put together elsewhere", (_, status, fields, body) => {
  expect(stableResponse(status, fields, body)).toBeUndefined();
});

test("a field that would split the response is refused, also after a good one", () => {
  const body = stable("hi");
  stableResponse(200, ["A", "b"], body);
  expect(() => stableResponse(200, ["A", "b\r\nC: d"], body)).toThrow("invalid value of header A");
});

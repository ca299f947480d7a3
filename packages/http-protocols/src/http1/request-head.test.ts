import fc from "fast-check";
import { expect, test } from "vitest";
import { RequestHeadReader } from "./request-head.ts";

const head = (line: string, ...fields: string[]) => [line, ...fields, ""].join("\r\n");

test("the same fields again are read once, whatever is asked for", () => {
  const reader = new RequestHeadReader();
  const first = reader.read(head("GET /a HTTP/1.1", "Host: a", "X-A: 1"));
  const second = reader.read(head("DELETE /b?c HTTP/1.1", "Host: a", "X-A: 1"));
  expect(second.fields).toBe(first.fields);
  expect(second).toMatchObject({ method: "DELETE", target: "/b?c", version: "1.1" });
});

test.each([
  ["another value", "GET / HTTP/1.1", ["Host: a", "X-A: 2"]],
  ["one field more", "GET / HTTP/1.1", ["Host: a", "X-A: 1", "X-B: 1"]],
  ["one field less", "GET / HTTP/1.1", ["Host: a"]],
  ["another version", "GET / HTTP/1.0", ["Host: a", "X-A: 1"]],
])("%s is read anew", (_, line, fields) => {
  const reader = new RequestHeadReader();
  const first = reader.read(head("GET / HTTP/1.1", "Host: a", "X-A: 1"));
  const second = reader.read(head(line, ...fields));
  expect(second.fields).not.toBe(first.fields);
  expect(second).toEqual(new RequestHeadReader().read(head(line, ...fields)));
});

test("what is refused changes nothing, and what is forgotten is read anew", () => {
  const reader = new RequestHeadReader();
  const good = head("GET / HTTP/1.1", "Host: a");
  const { fields } = reader.read(good);
  expect(() => reader.read(head("GET / HTTP/1.1", "Host : a"))).toThrow("malformed header field");
  expect(reader.read(good).fields).toBe(fields);
  reader.rest();
  expect(reader.read(good).fields).not.toBe(fields);
});

test("the very same head again is not read at all", () => {
  const reader = new RequestHeadReader();
  const text = head("GET /a HTTP/1.1", "Host: a");
  const first = reader.read(text);
  expect(reader.readAgain(Buffer.from(`${text}\r\n`))).toBe(first);
  for (const other of [text, `${text}\r\nx`, `${text.replace("/a", "/b")}\r\n`, `\r\n${text}`]) {
    expect(reader.readAgain(Buffer.from(other))).toBeUndefined();
  }
  expect(() => reader.read(head("GET /a HTTP/1.1", "Host : a"))).toThrow("malformed header field");
  expect(reader.readAgain(Buffer.from(`${text}\r\n`))).toBe(first);
  reader.rest();
  expect(reader.readAgain(Buffer.from(`${text}\r\n`))).toBeUndefined();
});

test.each([
  ["GET /"],
  ["GET  / HTTP/1.1"],
  ["GET / HTTP/1.1 "],
  ["GET / HTTP/11"],
  [" / HTTP/1.1"],
  ["GET HTTP/1.1"],
  ["G(T / HTTP/1.1"],
  ["GET /\x00 HTTP/1.1"],
  ["HTTP/1.1"],
  [""],
])("refuses the request line %j", (line) => {
  expect(() => new RequestHeadReader().read(head(line, "Host: a"))).toThrow("malformed request line");
});

test("a reader that has read before says what a new one says", () => {
  const used = new RequestHeadReader();
  const line = fc.constantFrom("GET / HTTP/1.1", "GET / HTTP/1.0", "POST /a HTTP/1.1", "GET / HTTP/2.0");
  const field = fc.constantFrom("Host: a", "Host: b", "Content-Length: 3", "Connection: close", "A : b");
  const outcome = (reader: RequestHeadReader, text: string): unknown => {
    try {
      const { method, target, version, fields } = reader.read(text);
      return { method, target, version, fields: { ...fields, cache: undefined } };
    } catch (error) {
      return (error as Error).message;
    }
  };
  fc.assert(
    fc.property(line, fc.array(field, { maxLength: 3 }), (first, fields) => {
      const text = head(first, ...fields);
      expect(outcome(used, text)).toEqual(outcome(new RequestHeadReader(), text));
    }),
  );
});

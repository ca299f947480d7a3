import fc from "fast-check";
import { expect, test } from "vitest";
import { bodyFraming, parseResponseHead, ResponseHeadReader } from "./response-head.ts";

const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join("")}`;

test.each([
  ["a length", head("Content-Length: 5"), "GET", bodyFraming.length, true],
  ["equal lengths", head("Content-Length: 5", "content-length: 5"), "GET", bodyFraming.length, true],
  ["no body by length", head("Content-Length: 0"), "GET", bodyFraming.none, true],
  ["no body by method", head("Content-Length: 5"), "HEAD", bodyFraming.none, true],
  ["chunks", head("Transfer-Encoding: Chunked"), "GET", bodyFraming.chunked, true],
  [
    "chunks and a length",
    head("Content-Length: 5", "Transfer-Encoding: chunked"),
    "GET",
    bodyFraming.chunked,
    false,
  ],
  ["neither", head(), "GET", bodyFraming.untilClose, false],
  ["close", head("Content-Length: 5", "Connection: x, Close"), "GET", bodyFraming.length, false],
])("%s", (_, text, method, framing, keepAlive) => {
  expect(parseResponseHead(text, method)).toMatchObject({ framing, keepAlive });
});

test.each([
  [["Transfer-Encoding: chunked", "Trailer: X-Sum"], true],
  [["Content-Length: 5", "Trailer: X-Sum"], false],
  [["Trailer: X-Sum"], false],
])("%j announces trailers: %s", (lines, announces) => {
  const { headers } = parseResponseHead(head(...lines), "GET");
  expect(headers.includes("X-Sum")).toBe(announces);
});

test.each([
  ["two lengths", head("Content-Length: 5", "Content-Length: 6")],
  ["a list of lengths", head("Content-Length: 5, 5")],
  ["a length that is none", head("Content-Length: +5")],
  ["another coding", head("Transfer-Encoding: gzip")],
  ["chunked twice", head("Transfer-Encoding: chunked", "Transfer-Encoding: chunked")],
  ["a folded line", head("A: b", " c")],
  ["a blank before the colon", head("A : b")],
  ["a bare LF", head("A: b\nC: d")],
  ["another version", "HTTP/2 200 OK\r\n"],
  ["a status that is none", "HTTP/1.1 099 No\r\n"],
])("refuses %s", (_, text) => {
  expect(() => parseResponseHead(text, "GET")).toThrow();
});

test("any text is a head or an error, and no field carries a line break", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii", maxLength: 200 }), (text) => {
      try {
        for (const field of parseResponseHead(`HTTP/1.1 200 OK\r\n${text}\r\n`, "GET").headers) {
          expect(field).not.toMatch(/[\r\n\0]/);
        }
      } catch (error) {
        expect((error as Error).message).toMatch(/^(?:malformed|unsupported|Content-Length)/);
      }
    }),
  );
});

test("the same head again is read once, and each caller has fields of its own", () => {
  const reader = new ResponseHeadReader();
  const text = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: X-Hop\r\nX-Hop: 1\r\nA: b\r\n";
  const first = reader.read(text, "GET");
  const expected = structuredClone(first);
  expect(first.headers).toEqual(["Content-Length", "3", "A", "b"]);
  first.headers.push("C", "d");
  const second = reader.read(text, "GET");
  expect(second).toEqual(expected);
  second.headers.length = 0;
  expect(reader.read(text, "GET")).toEqual(expected);
  expect(reader.read(text, "HEAD").framing).toBe(bodyFraming.none);
  expect(() => reader.read(text.replace("A:", "A(:"), "GET")).toThrow("malformed header field");
  expect(reader.read(text, "GET")).toEqual(expected);
});

test("heads of older programs are read, and their connection is not used again", () => {
  const read = (text: string) => new ResponseHeadReader().read(text, "GET");
  const old = read("HTTP/1.1 200 OK\nContent-Length: 3\nA: b\n c\n");
  expect(old).toMatchObject({ framing: bodyFraming.length, length: 3, keepAlive: false });
  expect(old.headers).toEqual(["Content-Length", "3", "A", "b c"]);
  for (const framing of [
    "Content-Length : 3",
    "Content-Length: 3\r\n 4",
    "Transfer-Encoding:\r\n chunked, x",
  ]) {
    expect(() => read(head("A : b", framing))).toThrow();
  }
});

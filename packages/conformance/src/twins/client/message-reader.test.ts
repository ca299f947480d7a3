import { expect, test } from "vitest";
import { MessageReader } from "./message-reader.ts";

const cases: readonly (readonly [name: string, text: string, expected: readonly object[]])[] = [
  [
    "a length",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    [{ framing: "length", text: "hello", isComplete: true }],
  ],
  [
    "chunks and trailers",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n!\r\n0\r\nX-T: 1\r\n\r\n",
    [{ framing: "chunked", text: "hello!", isComplete: true, trailers: [["X-T", "1"]] }],
  ],
  [
    "interim answers and a pipelined one",
    "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
    [
      { start: "HTTP/1.1 103 Early Hints", isComplete: true },
      { start: "HTTP/1.1 204 No Content", framing: "none", isComplete: true },
      { text: "x", isComplete: true },
    ],
  ],
  [
    "a body that is cut",
    "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello",
    [{ text: "hello", isComplete: false }],
  ],
  [
    "the end of the connection",
    "HTTP/1.0 200 OK\r\n\r\nall",
    [{ framing: "close", text: "all", isComplete: true }],
  ],
  [
    "a tunnel",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nbytes",
    [{ framing: "tunnel", text: "bytes" }],
  ],
];

test.each(cases)("reads %s, whole and byte by byte", (_name, text, expected) => {
  for (const size of [text.length, 1]) {
    const reader = new MessageReader();
    for (let at = 0; at < text.length; at += size) {
      reader.push(Buffer.from(text.slice(at, at + size), "latin1"));
    }
    reader.end();
    const read = reader.messages.map((message) => ({
      ...message,
      text: Buffer.concat(message.body).toString("latin1"),
    }));
    expect(read).toMatchObject(expected);
  }
});

test("an answer to HEAD has no body whatever its fields say", () => {
  const reader = new MessageReader((index) => index === 0);
  reader.push(
    Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
  );
  expect(reader.messages.map(({ isComplete }) => isComplete)).toEqual([true, true]);
});

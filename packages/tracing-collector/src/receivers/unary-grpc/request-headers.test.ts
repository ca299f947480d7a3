import type { HeaderField } from "http-protocols/http2";
import { describe, expect, test } from "vitest";
import { RequestHeadersReader } from "./request-headers.ts";

const field = (name: string, value: string): HeaderField => ({ name, value });
const method = field(":method", "POST");
const scheme = field(":scheme", "http");
const path = field(":path", "/a.B/C");
const good = [method, scheme, path, field(":authority", "here"), field("te", "trailers")];

describe("RequestHeadersReader", () => {
  test("reads what a call is about, again and again", () => {
    const reader = new RequestHeadersReader();
    for (const length of [1, 2, 999_999_999_999_999]) {
      const fields = [...good, field("content-length", `${length}`)];
      expect(reader.read(fields)).toEqual({ method: "POST", path: "/a.B/C", contentLength: length, fields });
    }
    expect(reader.read(good)).toMatchObject({ contentLength: undefined });
  });

  test.each([
    ["an unknown pseudo-field", [...good, field(":status", "200")], 'field ":status" is unknown'],
    ["one twice", [method, method, scheme, path], "field :method comes twice"],
    ["an empty one twice", [method, scheme, field(":path", ""), path], "field :path comes twice"],
    ["one behind others", [method, scheme, field("a", "b"), path], "field :path stands behind others"],
    ["no path", [method, scheme], "field :method, :scheme or :path is missing"],
    ["an empty method", [field(":method", ""), scheme, path], "field :method, :scheme or :path is missing"],
    ["a name in upper case", [...good, field("A", "b")], 'name "A" is not allowed'],
    ["a line break in a value", [...good, field("a", "b\r\nc")], "value of a is not allowed"],
    ["a field of HTTP/1", [...good, field("connection", "close")], "field connection is not allowed"],
    ["another te", [...good.slice(0, 4), field("te", "gzip")], "field te has another value than trailers"],
    ["a length that is none", [...good, field("content-length", "1\n")], "field content-length is no number"],
    [
      "two lengths",
      [...good, field("content-length", "1"), field("content-length", "2")],
      "two lengths of content",
    ],
  ])("refuses %s, at first and after good ones", (_, fields, problem) => {
    const reader = new RequestHeadersReader();
    for (let round = 0; round < 2; round++) {
      expect(reader.read(fields)).toBe(problem);
      expect(reader.read(fields)).toBe(problem);
      expect(typeof reader.read(good)).toBe("object");
    }
  });
});

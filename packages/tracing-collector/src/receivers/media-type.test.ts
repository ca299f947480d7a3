import { expect, test } from "vitest";
import { mediaType } from "./media-type.ts";

test.each([
  ["application/x-thrift", "application/x-thrift"],
  [" Application/X-Thrift ", "application/x-thrift"],
  ['text/plain; charset=utf-8; a="b;\\"c"', "text/plain"],
  ["text/plain;", "text/plain"],
  ["text/plain ; ", "text/plain"],
  ["text", "text"],
])("%j is %s", (header, type) => {
  expect(mediaType(header)).toBe(type);
});

// Expected results of Go 1.23.
test.each([
  ["", "mime: no media type"],
  [";a=b", "mime: no media type"],
  ["a b", "mime: expected slash after first token"],
  ["a/", "mime: expected token after slash"],
  ["a/b c", "mime: unexpected content after media subtype"],
  ["a/b<", "mime: unexpected content after media subtype"],
  ["a/b; c", "mime: invalid media parameter"],
  ['a/b; c="d', "mime: invalid media parameter"],
  ["a/b; c=d; C=e", "mime: duplicate parameter name"],
])("%j: %s", (header, message) => {
  expect(() => mediaType(header)).toThrow(message);
});

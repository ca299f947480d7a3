import { intrinsics } from "storage/api";
import { expect, test } from "vitest";
import { olderTagPlace, tagPlace } from "./tag-identifier.ts";

test.each([
  [".http.method", ["span", "resource"], "http.method"],
  ["span.http.method", ["span"], "http.method"],
  ["resource.service.name", ["resource"], "service.name"],
  ['span."with space"', ["span"], "with space"],
  ["event.exception.type", ["event"], "exception.type"],
  ["link.a", ["link"], "a"],
  ["instrumentation.a", ["instrumentation"], "a"],
  ["status", ["intrinsic"], "span:status"],
  ["span:status", ["intrinsic"], "span:status"],
  ["rootServiceName", ["intrinsic"], "trace:rootService"],
])("%s", (text, scopes, name) => {
  expect(tagPlace(text)).toEqual({ scopes, name });
});

test.each([
  "",
  "http.method",
  "1",
  ".a || .b",
  ".a } | count() > 0 && { .b",
  ".a != nil } || { .b",
  '"; DROP TABLE spans',
  "span.",
  ".a + 1",
])("%j is no identifier", (text) => {
  expect(() => tagPlace(text)).toThrow(
    expect.objectContaining({
      code: "QUERY_BAD_PARAMETER",
      message: `please provide a valid tagName: ${text}`,
      parameter: "tag",
    }),
  );
});

test.each([
  ["http.method", ["span", "resource"], "http.method"],
  ["service.name", ["resource"], "service.name"],
  ["name", ["intrinsic"], "span:name"],
  ["status.code", ["intrinsic"], "span:status"],
  ["constructor", ["span", "resource"], "constructor"],
])("without a scope: %s", (text, scopes, name) => {
  expect(olderTagPlace(text)).toEqual({ scopes, name });
});

test.each([...intrinsics.keys()])("%s, which completion names, is TraceQL", (name) => {
  const place = tagPlace(name);
  expect(place.scopes).toEqual(["intrinsic"]);
  expect(intrinsics.get(place.name)).toBe(intrinsics.get(name));
});

import { expect, test } from "vitest";
import { mediaTypeOf } from "./media-type.ts";

test.each([
  ["index.html", "text/html; charset=utf-8"],
  ["a.tar.GZ", "application/gzip"],
  ["feed.xml", "text/xml; charset=utf-8"],
  ["data.json", "application/json"],
  ["README", ""],
  ["x.unheard-of", ""],
  [".html/file", ""],
])("%s is %s", (name, type) => {
  expect(mediaTypeOf(name)).toBe(type);
});

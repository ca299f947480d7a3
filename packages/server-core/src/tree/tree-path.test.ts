import { expect, test } from "vitest";
import { parseTreePath } from "./tree-path.ts";

test.each([
  ["/config/a/0", ["config", "a", "0"]],
  ["//config/a///", ["config", "a"]],
  ["config", ["config"]],
])("%s", (text, segments) => {
  expect(parseTreePath(text).segments).toEqual(segments);
});

test.each(["", "/", "////"])("%j leads nowhere", (text) => {
  expect(() => parseTreePath(text)).toThrow(/no traversable path/);
});

test("a path of slashes is read in linear time", () => {
  expect(() => parseTreePath(`/config${"/".repeat(500_000)}a`)).toThrow(/a path of 500001 segments, limit/);
});

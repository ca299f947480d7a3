import { expect, test } from "vitest";
import { cleanPath, leavesRoot } from "./clean-path.ts";

test.each([
  ["/", "/"],
  ["", "/"],
  ["/a/b", "/a/b"],
  ["/a/", "/a/"],
  ["//a///b", "/a/b"],
  ["/a/./b/.", "/a/b"],
  ["/a/../b", "/b"],
  ["/../../etc", "/etc"],
  ["/a/..", "/"],
  ["/..", "/"],
  ["/a/../", "/"],
  ["/a/.../b", "/a/.../b"],
  ["/.a/b.", "/.a/b."],
])("cleans %s to %s", (path, clean) => {
  expect(cleanPath(path)).toBe(clean);
});

test.each([
  ["//a/../b//c", "//b//c"],
  ["//", "//"],
  ["/a//", "/a//"],
  ["/a//.", "/a/"],
  ["/a//../b", "/a/b"],
  ["//..", "/"],
])("keeps empty segments where asked to: %s is %s", (path, clean) => {
  expect(cleanPath(path, false)).toBe(clean);
});

test.each([
  ["/a/b", false],
  ["/a/../b", false],
  ["/a/..b/...", false],
  ["/a/../../b", true],
  ["/..", true],
  ["//../b", true],
  ["/./../b", true],
])("whether %s leaves its root: %s", (path, leaves) => {
  expect(leavesRoot(path)).toBe(leaves);
});

import { expect, test } from "vitest";
import { cleanPath, decodePath, splitTarget } from "./request-target.ts";

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
  ["/a/.../b", "/a/.../b"],
  ["/.a/b.", "/.a/b."],
])("cleans %s to %s", (path, clean) => {
  expect(cleanPath(path)).toBe(clean);
});

test("keeps repeated slashes when asked to", () => {
  expect(cleanPath("//a/../b//c", false)).toBe("//b//c");
});

test.each([
  ["/a%20b", "/a b"],
  ["/%C3%A9", "/é"],
  ["/%ff", "/\ufffd"],
  ["/a%2Fb", "/a/b"],
  ["/%zz", undefined],
  ["/%4", undefined],
])("decodes %s", (raw, path) => {
  expect(decodePath(raw)).toBe(path);
});

test.each([
  ["/a?b=c?d", { authority: undefined, rawPath: "/a", query: "?b=c?d" }],
  ["http://h:1/a", { authority: "h:1", rawPath: "/a", query: "" }],
  ["http://h", { authority: "h", rawPath: "/", query: "" }],
  ["*", { authority: undefined, rawPath: "*", query: "" }],
])("splits %s", (target, parts) => {
  expect(splitTarget(target)).toEqual(parts);
});

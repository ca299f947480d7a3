import { expect, test } from "vitest";
import { pageBase } from "./page-base.ts";

function baseOf(originalUrl: string, prefix?: string, basePath = ""): string {
  const get = (name: string) => (name === "x-forwarded-prefix" ? prefix : undefined);
  return pageBase({ originalUrl, get } as Parameters<typeof pageBase>[0], basePath);
}

test.each([
  ["/", "/ext/"],
  ["/search", "/ext/search"],
  ["/search?service=a/b", "/ext/search"],
  ["/trace/1", "/ext/trace/1"],
  ["/trace/1/", "/ext/trace/1/"],
])("%s: a browser at %s finds the base", (path, address) => {
  expect(new URL(baseOf(path), `http://x${address}`).pathname).toBe("/ext/");
});

test.each(["/a/jaeger/trace/1", "/a/jaeger/", "/a/jaeger"])(
  "a base path is part of the address: %s",
  (path) => {
    expect(new URL(baseOf(path, undefined, "/a/jaeger"), `http://x/ext${path}`).pathname).toBe(
      "/ext/a/jaeger/",
    );
  },
);

test.each([
  ["/ext", "/ext/"],
  ["/a/b-c/", "/a/b-c/"],
])("a proxy that says its prefix %s", (prefix, base) => {
  expect(baseOf("/trace/1", prefix)).toBe(base);
});

test.each(["", "/", "ext", "//evil.test", "/a//b", '/a"><script>', "/a, /b", `/${"a".repeat(300)}`])(
  "a prefix that is none is passed over: %j",
  (prefix) => {
    expect(baseOf("/trace/1", prefix)).toBe("../");
  },
);

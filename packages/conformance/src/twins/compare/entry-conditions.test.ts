import { expect, test } from "vitest";
import { KnownTwinDifferences } from "./known-twin-differences.ts";

const around = (theirs: Record<string, string>, ours: Record<string, string>) => ({ theirs, ours });
const of = (
  path: string,
  theirs: string | undefined,
  ours: string | undefined,
  facts?: ReturnType<typeof around>,
) => ({
  exchange: 0,
  request: "http, GET /",
  path,
  theirs,
  ours,
  ...(facts === undefined ? {} : { around: facts }),
});

test("a fact counts only beside another one of the same number", () => {
  const known = new KnownTwinDifferences([
    {
      reason: "words",
      facts: [
        { path: "answer \\d+ field\\.content-length", beside: { path: "answer # body", differs: true } },
        { path: "log \\d+ \\..*", theirs: "absent", beside: { path: "log # .logger", theirs: "absent" } },
      ],
    },
  ]);
  const length = (facts?: ReturnType<typeof around>) =>
    known.reasonOf("", of("answer 1 field.content-length", "3", "5", facts));
  expect(length(around({ "answer 1 body": "abc" }, { "answer 1 body": "abcde" }))).toBe("words");
  expect(length(around({ "answer 0 body": "abc" }, { "answer 0 body": "abcde" }))).toBeUndefined();
  expect(length(around({ "answer 1 body": "abc" }, { "answer 1 body": "abc" }))).toBeUndefined();
  expect(length()).toBeUndefined();
  const size = (their: Record<string, string>) =>
    known.reasonOf("", of("log 2 .size", undefined, "5", around(their, { "log 2 .logger": '"x"' })));
  expect(size({})).toBe("words");
  expect(size({ "log 2 .logger": '"x"' })).toBeUndefined();
});

test("a repeated fact is that of an earlier try of the same request", () => {
  const known = new KnownTwinDifferences([
    { reason: "again", facts: [{ path: "upstream \\d+ .*", theirs: "absent", repeats: true }] },
  ]);
  const again = (path: string, ours: Record<string, string>) =>
    known.reasonOf("", of(path, undefined, ours[path], around({}, ours)));
  expect(again("upstream 3 start", { "upstream 0 start": "GET /", "upstream 3 start": "GET /" })).toBe(
    "again",
  );
  expect(again("upstream 6 start", { "upstream 0 start": "GET /", "upstream 6 start": "GET /" })).toBe(
    "again",
  );
  expect(
    again("upstream 3 start", { "upstream 0 start": "GET /", "upstream 3 start": "GET /x" }),
  ).toBeUndefined();
  // Numbers below three are the other requests of the exchange.
  expect(
    again("upstream 1 start", { "upstream 0 start": "GET /", "upstream 1 start": "GET /" }),
  ).toBeUndefined();
});

test("a scope holds for sites and exchanges of its entries, which words of their reasons name", () => {
  const known = new KnownTwinDifferences([
    { reason: "one thing", site: "encode", request: "HEAD", facts: [{ path: "end" }] },
    { reason: "other thing", site: "templates", facts: [{ path: "end" }] },
  ]);
  const scope = known.scopeOf(["one", "other"]);
  expect(scope.holds("encode")).toBe(true);
  expect(scope.holds("encode", "http, GET /")).toBe(false);
  expect(scope.holds("encode", "http, HEAD /")).toBe(true);
  expect(scope.holds("templates", "http, GET /")).toBe(true);
  expect(scope.holds("file_server")).toBe(false);
  expect(() => known.scopeOf(["thing"])).toThrow("several entries");
  expect(() => known.scopeOf(["none"])).toThrow("no entry");
});

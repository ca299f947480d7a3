import { expect, test } from "vitest";
import { sprigFunctions } from "./sprig-functions.ts";
import { printed } from "./template-values.ts";

const call = (name: string, ...args: unknown[]) =>
  (sprigFunctions[name] as ((...args: unknown[]) => unknown) | undefined)?.(...args);
const map = (object: object) => new Map(Object.entries(object));

// The model's output for the same.
test.each<[string, unknown[], string]>([
  ["camelcase", ["foo_bar"], "FooBar"],
  ["camelcase", ["_complex__case_"], "_Complex_Case_"],
  ["camelcase", ["GOLANG_IS_GREAT"], "GolangIsGreat"],
  ["camelcase", ["FOOBar"], "Foobar"],
  ["camelcase", ["__"], "__"],
  ["snakecase", ["FooBar"], "foo_bar"],
  ["kebabcase", ["FooBar"], "foo-bar"],
  ["wrap", [3, "aa bb cc"], "aa\nbb\ncc"],
  ["initials", ["Ab Cd"], "AC"],
  ["swapcase", ["aB"], "Ab"],
  ["plural", ["one", "many", 2], "many"],
  ["b32enc", ["hello"], "NBSWY3DP"],
  ["b32dec", ["NBSWY3DPFQ======"], "hello,"],
  ["adler32sum", ["Wikipedia"], "300286872"],
  ["regexFindAll", ["[2,4,6,8]", "123456789", -1], "[2 4 6 8]"],
  ["mustRegexSplit", ["z+", "pizza", -1], "[pi a]"],
  ["regexReplaceAllLiteral", ["a(x*)b", "-ab-axxb-", "$1"], "-$1-$1-"],
  ["regexQuoteMeta", ["1.2[a]"], "1\\.2\\[a\\]"],
  ["base", ["foo/bar/baz"], "baz"],
  ["dir", ["foo/bar/baz"], "foo/bar"],
  ["clean", ["foo/bar/../baz/"], "foo/baz"],
  ["ext", ["foo.bar"], ".bar"],
  ["trimall", ["$", "$5.00$"], "5.00"],
  ["chunk", [2, [1, 2, 3]], "[[1 2] [3]]"],
  ["dig", ["a", "b", "else", map({ a: map({ b: 1 }) })], "1"],
  ["dig", ["a", "c", "else", map({ a: map({ b: 1 }) })], "else"],
  ["merge", [map({ a: 1 }), map({ a: 2, b: 3 })], "map[a:1 b:3]"],
  ["mergeOverwrite", [map({ a: 1 }), map({ a: 2, b: 3 })], "map[a:2 b:3]"],
  ["omit", [map({ a: 1, b: 2 }), "a"], "map[b:2]"],
  ["pluck", ["a", map({ a: 1 }), map({ b: 2 })], "[1]"],
  ["kindOf", [[1]], "slice"],
  ["typeOf", ["x"], "string"],
  ["divf", [10, 4], "2.5"],
  ["maxf", [1, 2.5, 2], "2.5"],
  ["minf", [1, 2.5, 2], "1"],
  ["toJson", [map({ a: "<" })], '{"a":"\\u003c"}'],
  ["toRawJson", [map({ a: "<" })], '{"a":"<"}'],
  ["all", [1, "", true], "false"],
  ["duration", [3725], "1h2m5s"],
  [
    "urlJoin",
    [map({ scheme: "http", host: "h:8", path: "/p", query: "q=1", fragment: "f" })],
    "http://h:8/p?q=1#f",
  ],
])("%s of %j", (name, args, expected) => {
  expect(printed(call(name, ...args))).toBe(expected);
});

test("parts of a URL", () => {
  const parts = call("urlParse", "http://admin:secret@server.com:8080/api?list=false#anchor");
  expect(Object.fromEntries(parts as Map<string, string>)).toMatchObject({
    scheme: "http",
    userinfo: "admin:secret",
    host: "server.com:8080",
    hostname: "server.com",
    path: "/api",
    query: "list=false",
    fragment: "anchor",
  });
});

test("random texts have their length, within a limit", () => {
  expect(call("randAlphaNum", 12)).toMatch(/^[A-Za-z0-9]{12}$/);
  expect(() => call("randAlpha", 1e9)).toThrow("limit 100000");
});

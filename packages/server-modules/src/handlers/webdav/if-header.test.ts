import { expect, test } from "vitest";
import { parseIf } from "./if-header.ts";

const token = (text: string, isNot = false) => ({ isNot, token: text, etag: undefined });
const etag = (text: string, isNot = false) => ({ isNot, token: undefined, etag: text });

test.each([
  ["(<a:1>)", [{ tag: undefined, conditions: [token("a:1")] }]],
  [
    ' (<a:1> ["x) y"])\t(Not <b:2> Not[W/"z"]) ',
    [
      { tag: undefined, conditions: [token("a:1"), etag('"x) y"')] },
      { tag: undefined, conditions: [token("b:2", true), etag('W/"z"', true)] },
    ],
  ],
  [
    "<http://h/a> (<a:1>) (<b:2>) </b>(<c:3>)",
    [
      { tag: "http://h/a", conditions: [token("a:1")] },
      { tag: "http://h/a", conditions: [token("b:2")] },
      { tag: "/b", conditions: [token("c:3")] },
    ],
  ],
])("%s", (text, lists) => {
  expect(parseIf(text)).toEqual(lists);
});

test.each([
  "(",
  "()",
  "x",
  "(<a:1>",
  "(<a:1>) x",
  "(Not)",
  "(Not Not <a:1>)",
  "(<>)",
  "<a>",
  "(<a:1>) </b> (<c:3>)",
  "((<a:1>))",
  "([x])",
])("%s is none", (text) => {
  expect(() => parseIf(text)).toThrow(/^invalid If: /);
});

test("conditions are limited", () => {
  const many = (count: number) => `(${"<a:1>".repeat(count)})`;
  expect(parseIf(many(100))[0]?.conditions).toHaveLength(100);
  expect(() => parseIf(many(101))).toThrow("invalid If: more conditions than the limit of 100");
});

import { expect, test } from "vitest";
import { tagPlace } from "./completion.ts";
import { traceQlPlace } from "./editor/traceql-place.ts";

/** Returns the text without its caret `|`, and the index of the caret. */
function split(text: string): [string, number] {
  const at = text.indexOf("^");
  return [text.slice(0, at) + text.slice(at + 1), at];
}

test.each([
  ["^", 0, 0, { kind: "key", typed: "" }],
  ["ht^", 0, 2, { kind: "key", typed: "ht" }],
  ["a=b ht^tp", 4, 8, { kind: "key", typed: "ht" }],
  ["a=b http.code=50^", 14, 16, { kind: "value", scope: "", key: "http.code", typed: "50" }],
  ['"odd key"=^', 10, 10, { kind: "value", scope: "", key: "odd key", typed: "" }],
  ['route="/a b^', 6, 11, { kind: "value", scope: "", key: "route", typed: "/a b" }],
])("tags: %s", (text, from, to, want) => {
  expect(tagPlace(...split(text))).toEqual({ from, to, want });
});

test.each([
  ["{ ^", 2, 2, { kind: "key", typed: "" }],
  ["{ span.ht^ }", 2, 9, { kind: "key", typed: "span.ht" }],
  [
    '{ resource.service.name = "ca^"',
    26,
    30,
    { kind: "value", scope: "resource", key: "service.name", typed: "ca" },
  ],
  ['{ span."odd = key" = "v^" }', 21, 24, { kind: "value", scope: "span", key: "odd = key", typed: "v" }],
  ["{ status = ^ }", 11, 11, { kind: "value", scope: "intrinsic", key: "status", typed: "" }],
  ["{ .a = 1 && na^", 12, 14, { kind: "key", typed: "na" }],
  ["{ } | by(res^", 9, 12, { kind: "key", typed: "res" }],
  ["{ 1.3 > resource.fl^oat }", 8, 22, { kind: "key", typed: "resource.fl" }],
  ["{ 100ms < ^ }", 10, 10, { kind: "key", typed: "" }],
  ["{ span.a = span.b^ }", 11, 17, { kind: "key", typed: "span.b" }],
  ["{ .a = .^", 7, 8, { kind: "key", typed: "." }],
  ["{ span.^", 2, 7, { kind: "key", typed: "span." }],
  ["{ .a = .5^", 7, 9, { kind: "value", scope: "", key: "a", typed: ".5" }],
])("TraceQL: %s", (text, from, to, want) => {
  expect(traceQlPlace(...split(text))).toEqual({ from, to, want });
});

test.each(["^", "{ } ^", '{ name = "a" } | cou^', '{ 3 = "a^'])("nothing is completed at %s", (text) => {
  expect(traceQlPlace(...split(text))).toBeUndefined();
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeJson } from "../json/encode-json.ts";
import type { JsonValue } from "../json/json-value.ts";
import { reconcile } from "./reconcile.ts";

const copy = (value: JsonValue): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue;

test("equal values become the old object, whatever the order of keys", () => {
  const old = { a: [1, { b: 2 }], c: "x" };
  expect(reconcile(old, copy(old))).toBe(old);
  expect(reconcile(old, { c: "x", a: [1, { b: 2 }] })).toBe(old);
});

test.each<[string, (routes: JsonValue[]) => JsonValue[], number]>([
  ["one changed", (routes) => routes.with(1, { id: "changed" }), 3],
  ["one put in at the front", (routes) => [{ id: "new" }, ...routes], 4],
  ["one put in between", (routes) => routes.toSpliced(2, 0, { id: "new" }), 4],
  ["one taken out", (routes) => routes.toSpliced(1, 1), 3],
  ["one added", (routes) => [...routes, { id: "new" }], 4],
])("of a list with %s the others stay the same objects", (_, change, shared) => {
  const routes: JsonValue[] = ["a", "b", "c", "d"].map((id) => ({ id, more: [1] }));
  const old = { routes };
  const next = reconcile(old, copy({ routes: change(routes) })) as { routes: JsonValue[] };
  expect(next.routes.filter((route) => routes.includes(route))).toHaveLength(shared);
  expect(next.routes).toEqual(change(routes));
});

test("the value is never another one", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const [old, next] = [copy(a as JsonValue), copy(b as JsonValue)];
      const [oldText, nextText] = [encodeJson(old), encodeJson(next)];
      expect(encodeJson(reconcile(old, next))).toBe(nextText);
      expect(encodeJson(old)).toBe(oldText);
    }),
  );
});

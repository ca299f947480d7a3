import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonValue } from "../json/json-value.ts";
import { changedParts, withParts } from "./changed-parts.ts";
import { reconcile } from "./reconcile.ts";

const copy = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue;

test("one leaf is one part, and the rest stays the same objects", () => {
  const old = copy({ routes: [{ a: 1 }, { b: { c: 2 } }], more: [1] });
  const next = reconcile(old, copy({ routes: [{ a: 1 }, { b: { c: 3 } }], more: [1] }));
  const parts = changedParts(old, next, 10);
  expect(parts).toEqual([{ path: ["routes", 1, "b", "c"], value: 3 }]);
  const made = withParts(old, parts ?? []) as { routes: JsonValue[]; more: JsonValue };
  expect(made).toEqual(next);
  expect([made.routes[0], made.more]).toEqual([(old as typeof made).routes[0], (old as typeof made).more]);
  expect(made.routes[0]).toBe((old as typeof made).routes[0]);
});

test("too many parts are none", () => {
  expect(changedParts([1, 2, 3], [4, 5, 6], 2)).toBeUndefined();
  expect(changedParts([1, 2, 3], [4, 5, 3], 2)).toHaveLength(2);
});

test("the parts always make the new document", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (a, b) => {
      const old = copy({ a, same: [a] });
      const next = reconcile(old, copy({ a: b, same: [a] }));
      expect(withParts(old, changedParts(old, next, 1_000) ?? [])).toEqual(next);
    }),
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { SpanIds } from "./span-ids.ts";

test("knows ids as a map does", () => {
  const half = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer());
  fc.assert(
    fc.property(fc.array(fc.tuple(half, half), { maxLength: 60 }), fc.tuple(half, half), (all, other) => {
      const ids = new SpanIds(all.length);
      const map = new Map<string, number>();
      for (const id of all) {
        expect(ids.add(...id)).toBe(!map.has(String(id)));
        if (!map.has(String(id))) {
          map.set(String(id), map.size);
        }
      }
      for (const id of [...all, other]) {
        expect(ids.find(...id)).toBe(map.get(String(id)) ?? -1);
      }
    }),
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { groupNames } from "./name-groups.ts";

const shown = (names: readonly string[], most: number) =>
  groupNames(names, most).map(({ prefix, names: own }) =>
    own.length === 1 ? prefix : `${prefix}* ${own.length}`,
  );

test("names are grouped by the parts they are made of", () => {
  const names = ["shop-cart", "shop-order", "shop-order-db", "pay.card", "pay.bank", "mail"];
  expect(shown(names, 3)).toEqual(["mail", "pay.* 2", "shop-* 3"]);
  expect(shown(names, 4)).toEqual(["mail", "pay.* 2", "shop-cart", "shop-order* 2"]);
  expect(shown(names, 10)).toEqual(names.toSorted());
  expect(shown([], 10)).toEqual([]);
});

test("1,500 names of one form are grouped by letters", () => {
  const names = Array.from({ length: 1_500 }, (_, index) => `svc-${String(index).padStart(4, "0")}`);
  const groups = shown(names, 60);
  expect(groups.slice(0, 2)).toEqual(["svc-00* 100", "svc-01* 100"]);
  expect(groups.length).toBeLessThanOrEqual(60);
});

test("every name is in one group that begins as it does, and there are no more groups than allowed", () => {
  const name = fc.string({
    unit: fc.constantFrom("a", "b", "-", ".", "ä", "😀", "😁"),
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(
    fc.property(fc.uniqueArray(name), fc.integer({ min: 1, max: 20 }), (names, most) => {
      const groups = groupNames(names, most);
      expect(groups.flatMap(({ names: own }) => own).toSorted()).toEqual(names.toSorted());
      expect(groups.length).toBeLessThanOrEqual(most);
      for (const { prefix, names: own } of groups) {
        for (const each of own) {
          expect(each.startsWith(prefix)).toBe(true);
        }
        if (own.length === 1) {
          expect(own).toEqual([prefix]);
        }
      }
    }),
  );
});

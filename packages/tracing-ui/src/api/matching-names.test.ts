import { expect, test } from "vitest";
import { matchingNames } from "./matching-names.ts";

test.each([
  ["", ["Cart", "acart", "cart", "cart-db"]],
  ["cart", ["cart", "Cart", "cart-db", "acart"]],
  ["DB", ["cart-db"]],
  ["none", []],
])("%j", (contains, names) => {
  expect(matchingNames(["Cart", "acart", "cart", "cart-db"], contains)).toEqual({
    total: names.length,
    names,
  });
});

test("no more than a list shows, and all are counted", () => {
  const names = Array.from({ length: 60 }, (_, index) => `n${index}`);
  const found = matchingNames(names, "n");
  expect([found.total, found.names.length]).toEqual([60, 50]);
});

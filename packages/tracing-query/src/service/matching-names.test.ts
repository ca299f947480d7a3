import { expect, test } from "vitest";
import { matchingNames } from "./matching-names.ts";

const names = ["Cart", "a-cart", "acart", "cart", "cart-db", "cartons of art", "x.y"];

test.each([
  ["", 7, names],
  ["cart", 6, ["cart", "Cart", "cart-db", "cartons of art", "a-cart", "acart"]],
  ["ART", 6, ["cartons of art", "Cart", "a-cart", "acart", "cart", "cart-db"]],
  [".y", 1, ["x.y"]],
  ["none", 0, []],
])("%j", (contains, total, found) => {
  expect(matchingNames(names, contains, { limit: 50, offset: 0 })).toEqual({ total, names: found });
});

test("a page of them", () => {
  expect(matchingNames(names, "cart", { limit: 2, offset: 1 })).toEqual({
    total: 6,
    names: ["Cart", "cart-db"],
  });
  expect(matchingNames(names, "", { limit: 2, offset: 6 })).toEqual({ total: 7, names: ["x.y"] });
});

import { expect, test } from "vitest";
import { matchingNames, meantName } from "./matching-names.ts";

const names = ["cart", "checkout", "Shop-cart", "payment"];

test.each([
  ["", names],
  ["CAR", ["cart", "Shop-cart"]],
  ["cart", names],
  ["p", ["payment", "Shop-cart"]],
  ["nothing", []],
])("%j offers", (typed, expected) => {
  expect(matchingNames(names, typed)).toEqual(expected);
});

test("no more are offered than are read", () => {
  const many = Array.from({ length: 20_000 }, (_, index) => `GET /op-${index}`);
  expect(matchingNames(many, "op-1")).toHaveLength(50);
  expect(matchingNames(many, "op-19999")).toEqual(["GET /op-19999"]);
});

test.each([
  ["cart", "cart"],
  ["ment", "payment"],
  ["of yesterday", "of yesterday"],
  [undefined, undefined],
])("%j means %j", (typed, expected) => {
  expect(meantName(names, typed)).toBe(expected);
});

import { expect, test } from "vitest";
import { priceOf } from "./model-price.ts";

test("the first price that fits counts, in any case", () => {
  const prices = [
    { model: "a-*", input: 1, output: 1 },
    { model: "a-b", input: 2, output: 2 },
  ];
  expect([priceOf("A-B", prices)?.input, priceOf("a-", prices)?.input, priceOf("xa-b", prices)]).toEqual([
    1,
    1,
    undefined,
  ]);
});

import { expect, test } from "vitest";
import { fitBudget } from "./fit-budget.ts";

const lines = (count: number, length: number) => Array.from({ length: count }, () => "x".repeat(length));

test("an answer that fits stays as it is", () => {
  const fields = { a: [1, 2], b: "text" };
  expect(fitBudget({ fields, lists: ["a"], rest: "ask again" }, 500)).toEqual(fields);
});

test("long texts are cut first, and say how much is missing", () => {
  const fitted = fitBudget({ fields: { stack: "s".repeat(20_000), n: 1 }, lists: [], rest: "" }, 500);
  expect(fitted.n).toBe(1);
  expect(fitted.stack).toMatch(/^s+…\(19\d\d\d more characters\)…s+$/);
});

test("lists lose their end, the last list first, and say how much", () => {
  const fields = { first: lines(10, 50), last: lines(100, 50) };
  const fitted = fitBudget({ fields, lists: ["first", "last"], rest: "raise offset" }, 500);
  const kept = (fitted.last as string[]).length;
  expect(fitted).toEqual({
    ...fields,
    last: fields.last.slice(0, kept),
    left_out: { last: 100 - kept },
    rest: "raise offset",
  });
  expect(JSON.stringify(fitted).length).toBeLessThan(2_000);
});

test("half a character is never left", () => {
  const fitted = fitBudget({ fields: { text: "😀".repeat(5_000) }, lists: [], rest: "" }, 500);
  expect(String(fitted.text).isWellFormed()).toBe(true);
});

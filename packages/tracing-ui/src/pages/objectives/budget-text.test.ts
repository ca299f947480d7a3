import { expect, test } from "vitest";
import { budgetText, burnText, goodText, windowText } from "./budget-text.ts";

test.each([
  [null, "–"],
  [1, "100\u00a0%"],
  [0.99999, ">99.9\u00a0%"],
  [0.7549, "75.5\u00a0%"],
  [0.0001, "<0.1\u00a0%"],
  [0, "0\u00a0%"],
  [-0.341, "used 1.34 times"],
  [-499, "used 500 times"],
])("a budget of %s is shown as %s", (left, text) => {
  expect(budgetText(left)).toBe(text);
});

test("burn rates and windows have short figures", () => {
  expect([burnText(null), burnText(undefined), burnText(0), burnText(14.4444)]).toEqual([
    "–",
    "–",
    "0",
    "14.4",
  ]);
  expect([windowText(720), windowText(30)]).toEqual(["30 d", "30 h"]);
});

test.each([
  [0, 0, 99.9, "–"],
  [1_000, 0, 99.9, "100\u00a0%"],
  [1_000, 1, 99.9, "99.9\u00a0%"],
  [100_000, 1, 99.9, "99.99\u00a0%"],
  [1_000_000, 1, 99.9, "99.99\u00a0%"],
  [1_000_000, 1, 99.999, "99.9999\u00a0%"],
  [3, 3, 99, "0\u00a0%"],
])(
  "of %d spans %d bad ones make a share of good spans that is never rounded up",
  (total, bad, target, text) => {
    expect(goodText(total, bad, target)).toBe(text);
  },
);

import { expect, test } from "vitest";
import { soughtDoubleText } from "./attribute-text.ts";

test.each([
  ["1e-07", "1e-7"],
  ["-1.5e-05", "-0.000015"],
  ["1e+10", "10000000000"],
  ["1.23456789e+20", "123456789000000000000"],
  ["5e-324", undefined],
  ["1e+21", undefined],
  ["+Inf", "Infinity"],
  ["-Inf", "-Infinity"],
  // Other forms in which %g prints numbers.
  ["1e-04", undefined],
  ["1e+09", undefined],
  ["1e-7", undefined],
  ["1e-007", undefined],
  ["1.0e-07", undefined],
  ["12e-07", undefined],
  ["1.2345678901e-07", undefined],
  ["0e+00", undefined],
  ["1e+999", undefined],
  ["1e-999", undefined],
  // Texts that are equal in both forms.
  ["72.5", undefined],
  ["NaN", undefined],
  ["", undefined],
  ["text", undefined],
])("a search for %j also finds the double %j", (sought, stored) => {
  expect(soughtDoubleText(sought)).toBe(stored);
});

import { expect, test } from "vitest";
import { compileSampling } from "./sampling.ts";

test("the first of a kind pass, then every so many-th, anew in each interval", () => {
  const passes = compileSampling(1000, 2, 3);
  const count = (timeMs: number, message: string, times: number) =>
    Array.from({ length: times }, () =>
      passes({ level: "info", timeMs, logger: "", message, fields: {} }),
    ).filter(Boolean).length;
  expect(count(0, "a", 8)).toBe(4);
  expect(count(500, "b", 1)).toBe(1);
  expect(count(999, "a", 1)).toBe(0);
  expect(count(1000, "a", 2)).toBe(2);
});

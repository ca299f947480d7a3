import { expect, test } from "vitest";
import { traceOf } from "../testing/trace-of.ts";
import { selfTimes } from "./self-times.ts";

test("self time leaves out when children ran, once for those that overlap, and past the end", () => {
  const trace = traceOf([
    ["root", undefined, 0, 100],
    ["a", "root", 10, 20],
    ["b", "root", 20, 20],
    ["c", "root", 90, 30],
    ["d", "root", 200, 30],
  ]);
  expect([...selfTimes(trace)]).toEqual([60, 20, 20, 30, 30]);
});

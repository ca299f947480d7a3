import { expect, test } from "vitest";
import { leastRun, quantile, runOf, siblingRuns } from "./sibling-runs.ts";
import { type ShortSpan, traceOf } from "./trace-of.ts";

const many = (count: number, from: number, operation: string): ShortSpan[] =>
  Array.from({ length: count }, (_, index) => [
    `${operation}${index}`,
    "root",
    from + index * 10,
    index + 1,
    operation,
    "db",
    index === 3,
  ]);

test("like siblings in a row become a run with count, errors and percentiles", () => {
  const trace = traceOf([
    ["root", undefined, 0, 9_000],
    ["first", "root", 1, 1, "BEGIN"],
    ...many(100, 10, "SELECT"),
    ["below", "SELECT5", 61, 1, "parse"],
    ["last", "root", 8_000, 1, "COMMIT"],
  ]);
  const runs = siblingRuns(trace);
  expect([...runs.byHead.keys()]).toEqual([2]);
  expect(runs.byHead.get(2)).toEqual({
    ...{ head: 2, end: 103, count: 100, errors: 1, p50Us: 50, p95Us: 95, p99Us: 99 },
    ...{ startUs: 10, endUs: 1_100 },
  });
  expect(runOf(runs, 50)).toBe(runs.byHead.get(2));
  expect(
    runOf(
      runs,
      trace.spans.findIndex(({ spanID }) => spanID === "below"),
    ),
  ).toBeUndefined();
  expect(runOf(runs, 0)).toBeUndefined();
});

test("too few, or others between them, make no run", () => {
  const few = traceOf([["root", undefined, 0, 900], ...many(leastRun - 1, 10, "SELECT")]);
  expect(siblingRuns(few).byHead.size).toBe(0);
  const mixed = traceOf([["root", undefined, 0, 900], ...many(20, 10, "SELECT"), ...many(20, 15, "GET")]);
  expect(siblingRuns(mixed).byHead.size).toBe(0);
});

test("a quantile is one of the values", () => {
  expect([0, 0.5, 0.95, 1].map((share) => quantile(Float64Array.of(1, 2, 3, 4), share))).toEqual([
    1, 2, 4, 4,
  ]);
  expect(quantile(new Float64Array(0), 0.5)).toBe(0);
});

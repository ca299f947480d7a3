import { expect, test } from "vitest";
import { type ShortSpan, traceOf } from "../testing/trace-of.ts";
import { leastRun, quantile, runOf, siblingRuns } from "./sibling-runs.ts";

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
    ...{ head: 2, end: 103, count: 100, period: 1, operations: ["SELECT"], errors: 1 },
    ...{ p50Us: 50, p95Us: 95, p99Us: 99 },
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

test("a pattern of several siblings that repeats is a run, with its descendants, and what comes before and after is not", () => {
  const pattern = (index: number): ShortSpan[] => [
    [`q${index}`, "root", 100 + index * 30, 8, "SELECT item", "db"],
    [`n${index}`, "root", 110 + index * 30, 5, "GET price", "cache"],
    [`p${index}`, `n${index}`, 111 + index * 30, 1, "parse", "cache"],
    [`r${index}`, "root", 118 + index * 30, 2, "render", "web"],
  ];
  const trace = traceOf([
    ["root", undefined, 0, 9_000],
    ["begin", "root", 1, 1, "BEGIN"],
    ...Array.from({ length: 50 }, (_, index) => pattern(index)).flat(),
    ["late", "root", 5_000, 1, "SELECT item", "db"],
    ["end", "root", 8_000, 1, "COMMIT"],
  ]);
  const runs = siblingRuns(trace);
  expect([...runs.byHead.values()]).toEqual([
    {
      ...{ head: 2, end: 202, count: 50, period: 3, errors: 0, startUs: 100, endUs: 1_590 },
      operations: ["SELECT item", "GET price", "render"],
      ...{ p50Us: 20, p95Us: 20, p99Us: 20 },
    },
  ]);
  const at = (id: string) => trace.spans.findIndex(({ spanID }) => spanID === id);
  expect(runOf(runs, at("r49"))?.head).toBe(2);
  expect(runOf(runs, at("late"))).toBeUndefined();
  expect(runOf(runs, at("p3"))).toBeUndefined();
});

test("too few, or no pattern, make no run", () => {
  const few = traceOf([["root", undefined, 0, 900], ...many(leastRun - 1, 10, "SELECT")]);
  expect(siblingRuns(few).byHead.size).toBe(0);
  const growing = Array.from({ length: 30 }, (_, index) => `op ${index * index}`);
  const mixed = traceOf([
    ["root", undefined, 0, 900],
    ...growing.map((name, index): ShortSpan => [name, "root", index * 10, 1, name]),
  ]);
  expect(siblingRuns(mixed).byHead.size).toBe(0);
  // Three repeats of three siblings stay unfolded: nine rows are still easy to read.
  const short = traceOf([
    ["root", undefined, 0, 900],
    ...["a", "b", "c", "a", "b", "c", "a", "b", "c"].map(
      (name, index): ShortSpan => [`${name}${index}`, "root", index * 10, 1, name],
    ),
  ]);
  expect(siblingRuns(short).byHead.size).toBe(0);
});

test("ten thousand siblings without a pattern are looked through at once", () => {
  const trace = traceOf([
    ["root", undefined, 0, 900_000],
    ...Array.from({ length: 10_000 }, (_, index): ShortSpan => {
      // Seven of a kind, then another: every period begins to fit.
      const name = index % 8 === 7 ? `other ${index}` : "SELECT";
      return [`s${index}`, "root", index * 10, 1, name];
    }),
  ]);
  expect(siblingRuns(trace).byHead.size).toBe(0);
});

test("a quantile is one of the values", () => {
  expect([0, 0.5, 0.95, 1].map((share) => quantile(Float64Array.of(1, 2, 3, 4), share))).toEqual([
    1, 2, 4, 4,
  ]);
  expect(quantile(new Float64Array(0), 0.5)).toBe(0);
});

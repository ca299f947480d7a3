import { expect, test } from "vitest";
import { type ShortSpan, traceOf } from "../testing/trace-of.ts";
import { repeatedCalls } from "./repeated-calls.ts";
import { leastRun } from "./sibling-runs.ts";

const calls = (parent: string, count: number, from: number, step: number, us: number): ShortSpan[] =>
  Array.from({ length: count }, (_, index) => [
    `${parent}-${index}`,
    parent,
    from + index * step,
    us,
    "SELECT",
    "db",
  ]);

test("calls that a span makes many times are counted, with the time in which one of them ran", () => {
  const trace = traceOf([
    ["root", undefined, 0, 1_000, "GET /", "web"],
    ["a", "root", 0, 400, "load", "shop"],
    ...calls("a", 10, 0, 20, 10),
    ["b", "root", 400, 500, "load", "shop"],
    // These calls overlap: 30 calls of 20 µs, one starting every 10 µs.
    ...calls("b", 30, 400, 10, 20),
    ["c", "root", 950, 10, "load", "shop"],
    ...calls("c", leastRun - 1, 950, 1, 1),
  ]);
  expect(repeatedCalls(trace)).toEqual([
    {
      ...{ callerService: 1, callerOperation: "load", service: 2, operation: "SELECT" },
      ...{ calls: 40, callers: 2, most: 30, coveredUs: 10 * 10 + 30 * 10 + 10, share: 0.41 },
      first: trace.spans.findIndex(({ spanID }) => spanID === "b-0"),
    },
  ]);
});

test("calls of many callers, one each, are no repeats; nor are roots", () => {
  const roots = Array.from(
    { length: 20 },
    (_, index): ShortSpan => [`r${index}`, undefined, index, 1, "GET", "web"],
  );
  expect(
    repeatedCalls(
      traceOf([
        ...roots,
        ...roots.map(([id], index): ShortSpan => [`c${index}`, id as string, index, 1, "SELECT", "db"]),
      ]),
    ),
  ).toEqual([]);
});

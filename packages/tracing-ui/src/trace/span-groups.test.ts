import { expect, test } from "vitest";
import { traceOf } from "../testing/trace-of.ts";
import { groupSpans } from "./span-groups.ts";

test("spans of one way are one group, with counts, errors and times added up", () => {
  const trace = traceOf([
    ["root", undefined, 0, 100, "GET /"],
    ["a", "root", 0, 30, "query"],
    ["b", "root", 40, 40, "query", "s", true],
    ["c", "b", 50, 10, "parse"],
    ["d", "root", 90, 5, "parse"],
  ]);
  const { groups, groupOf } = groupSpans(trace);
  expect([...groupOf]).toEqual([0, 1, 1, 2, 3]);
  expect(
    groups.map(({ parent, operation, count, errors, totalUs, selfUs, weightUs, depth }) => [
      ...[parent, operation, count, errors],
      ...[totalUs, selfUs, weightUs, depth],
    ]),
  ).toEqual([
    [-1, "GET /", 1, 0, 100, 25, 100, 0],
    [0, "query", 2, 1, 70, 60, 70, 1],
    [1, "parse", 1, 0, 10, 10, 10, 2],
    [0, "parse", 1, 0, 5, 5, 5, 1],
  ]);
});

import { expect, test } from "vitest";
import { type ShortSpan, traceOf } from "../../../trace/trace-of.ts";
import { traceGraph } from "./trace-graph.ts";

test("spans of one operation are one node, and calls between nodes are counted", () => {
  const trace = traceOf([
    ["root", undefined, 0, 100, "GET /", "web"],
    ["a", "root", 0, 10, "query", "db"],
    ["b", "root", 20, 30, "query", "db", true],
    ["c", "b", 25, 5, "query", "db"],
  ]);
  const { nodes, edges } = traceGraph(trace);
  expect(nodes.map(({ operation, count, errors, totalUs }) => [operation, count, errors, totalUs])).toEqual([
    ["GET /", 1, 0, 100],
    ["query", 3, 1, 45],
  ]);
  expect(edges).toEqual([{ from: 0, to: 1, count: 2, errors: 1 }]);
});

test("with too many operations nodes are services", () => {
  const spans = Array.from(
    { length: 400 },
    (_, index): ShortSpan => [
      `s${index}`,
      index === 0 ? undefined : "s0",
      index,
      1,
      `op ${index}`,
      index % 2 ? "a" : "b",
    ],
  );
  const { ofServices, nodes, edges } = traceGraph(traceOf(spans));
  expect(ofServices).toBe(true);
  expect(nodes.map(({ count }) => count)).toEqual([200, 200]);
  expect(edges.length).toBe(1);
});

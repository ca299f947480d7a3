import { expect, test } from "vitest";
import type { DiffSide, TraceDiff } from "../../api/trace-diff.ts";
import { compareRows } from "./compare-rows.ts";

const side = (count: number, selfTime: number, errors = 0): DiffSide => ({
  count,
  errors,
  duration: selfTime,
  selfTime,
});
const diff: TraceDiff = {
  a: { traces: 1, spans: 4, duration: 100 },
  b: { traces: 20, spans: 3, duration: 50 },
  nodes: [
    { parent: null, service: "web", operation: "GET /", a: side(1, 10), b: side(1, 12) },
    { parent: 0, service: "cart", operation: "get", a: side(1, 5, 1), b: side(1, 5) },
    { parent: 0, service: "pay", operation: "charge", a: side(1, 80), b: side(1, 20) },
    { parent: 1, service: "db", operation: "query", a: side(9, 8), b: null },
  ],
};
const operations = (order: Parameters<typeof compareRows>[1]) =>
  compareRows(diff, order).map(({ node, depth, selfUs, count, errors }) => [
    ...[node.operation, depth],
    ...[selfUs, count, errors],
  ]);

test("in the order of the tree, each below its parent", () => {
  expect(operations("structure")).toEqual([
    ["GET /", 0, -2, 0, 0],
    ["get", 1, 0, 0, 1],
    ["query", 2, 8, 9, 0],
    ["charge", 1, 60, 0, 0],
  ]);
});

test.each([
  ["time", ["charge", "query", "GET /", "get"]],
  ["count", ["query", "charge", "GET /", "get"]],
  ["errors", ["get", "charge", "query", "GET /"]],
] as const)("by %s, the largest difference first", (order, expected) => {
  expect(operations(order).map(([name]) => name)).toEqual(expected);
});

test("a row may have more children than a call has room for arguments", () => {
  const children = Array.from({ length: 200_000 }, (_, index) => ({
    ...{ parent: 0, service: "db", operation: `${index}` },
    ...{ a: side(1, 1), b: null },
  }));
  const nodes = [...diff.nodes.slice(0, 1), ...children];
  expect(
    compareRows({ ...diff, nodes } as TraceDiff, "structure")
      .map(({ node }) => node.operation)
      .at(-1),
  ).toBe("199999");
});

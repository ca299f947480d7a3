import { expect, test } from "vitest";
import { type ShortSpan, traceOf } from "../../../testing/trace-of.ts";
import { graphAround, isTooLarge, traceGraph } from "./trace-graph.ts";

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

test("the part around a node has its callers, and the called nodes with most time", () => {
  const spans: ShortSpan[] = [["root", undefined, 0, 1_000, "GET /", "gateway"]];
  for (let index = 0; index < 150; index += 1) {
    spans.push([`mid${index}`, "root", index, 10 + index, "call", `mid-${index}`]);
    spans.push([`leaf${index}`, `mid${index}`, index, 1, "read", `leaf-${index}`]);
  }
  const trace = traceOf(spans);
  const graph = traceGraph(trace);
  expect(isTooLarge(graph)).toBe(true);
  const nameOf = (node: { service: number } | undefined) => trace.services[node?.service ?? -1];
  const atRoot = graphAround(graph, graph.nodeOf[0] as number);
  expect(nameOf(atRoot.nodes[0])).toBe("gateway");
  expect(atRoot.nodes.length).toBeLessThanOrEqual(40);
  // The slowest callee is in it, the fastest is not.
  expect(atRoot.nodes.map(nameOf)).toContain("mid-149");
  expect(atRoot.nodes.map(nameOf)).not.toContain("mid-0");
  const span = trace.spans.findIndex(({ spanID }) => spanID === "mid0");
  const atMid = graphAround(graph, graph.nodeOf[span] as number);
  expect(atMid.nodes.map(nameOf)).toEqual(["mid-0", "leaf-0", "gateway"]);
  expect(atMid.edges.map(({ from, to }) => [from, to])).toEqual([
    [2, 0],
    [0, 1],
  ]);
});

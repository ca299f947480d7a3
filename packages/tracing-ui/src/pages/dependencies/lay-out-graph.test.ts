import { expect, test } from "vitest";
import { layOutLayers } from "../../graph/lay-out-layers.ts";
import { type DependencyLayers, dependencyLayers, placedGraph } from "./lay-out-graph.ts";

function layOutGraph(dependencies: DependencyLayers["dependencies"]) {
  const request = dependencyLayers(dependencies);
  return placedGraph({ request, layers: layOutLayers(request.nodes, request.edges, request.sizes) });
}

test("callers stand left of those that they call, circles too are laid out", () => {
  const { nodes, edges } = layOutGraph([
    { parent: "a", child: "b" },
    { parent: "b", child: "c" },
    { parent: "c", child: "a" },
  ]);
  const x = (name: string) => nodes.find((node) => node.name === name)?.x ?? 0;
  expect(x("a")).toBeLessThan(x("b"));
  expect(x("b")).toBeLessThan(x("c"));
  expect(edges).toHaveLength(3);
  for (const { points } of edges) {
    expect(points.length).toBeGreaterThan(1);
  }
});

test("200 services have places of their own", () => {
  const dependencies = Array.from({ length: 400 }, (_, index) => ({
    parent: `service-${(index * 7) % 100}`,
    child: `service-${100 + ((index * 13) % 100)}`,
  }));
  const { nodes } = layOutGraph(dependencies);
  expect(nodes.length).toBe(200);
  expect(new Set(nodes.map(({ x, y }) => `${x},${y}`)).size).toBe(200);
});

test("nothing is nothing", () => {
  expect(layOutGraph([]).nodes).toEqual([]);
});

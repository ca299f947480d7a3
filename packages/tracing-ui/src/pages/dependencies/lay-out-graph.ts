import { Graph, layout } from "@dagrejs/dagre";
import type { Dependency } from "../../api/dependencies.ts";
import { nodeSize, type PlacedGraph } from "./placed-graph.ts";

/** From so many calls on, the quick ways of the layout are taken. */
const many = 150;

/**
 * Puts services in layers, so that most arrows go from left to right. A large graph takes less than half the time with
 * the tight tree and the first order of each layer in place of many trials: 0.2 s of CPU for two hundred services with
 * 420 calls. More arrows cross then (by a quarter), but they are shorter, and so is the page.
 */
export function layOutGraph(dependencies: readonly Pick<Dependency, "parent" | "child">[]): PlacedGraph {
  const graph = new Graph();
  const large = dependencies.length > many;
  graph.setGraph({
    ...{ rankdir: "LR", marginx: 24, marginy: 24, nodesep: large ? 10 : 24, ranksep: large ? 90 : 130 },
    ...{ edgesep: 8, ranker: large ? "tight-tree" : "network-simplex" },
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { parent, child } of dependencies) {
    for (const name of [parent, child]) if (!graph.hasNode(name)) graph.setNode(name, { ...nodeSize });
    graph.setEdge(parent, child);
  }
  layout(graph, { disableOptimalOrderHeuristic: large });
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    nodes: graph.nodes().map((name: string) => {
      const { x, y } = graph.node(name) as { x: number; y: number };
      return { name, x, y };
    }),
    edges: graph.edges().map((edge: { v: string; w: string }) => {
      const { points } = graph.edge(edge) as { points: { x: number; y: number }[] };
      const [from, to] = [graph.node(edge.v), graph.node(edge.w)] as { x: number; y: number }[];
      return { parent: edge.v, child: edge.w, points: besideBoxes(points, from, to) };
    }),
    width,
    height,
  };
}

/** Arrows leave a box at its right and arrive at the left of another, where that lies further right. */
function besideBoxes(
  points: readonly { x: number; y: number }[],
  from: { x: number; y: number } | undefined,
  to: { x: number; y: number } | undefined,
): { x: number; y: number }[] {
  const half = nodeSize.width / 2;
  const within = points.slice(1, -1).map(({ x, y }) => ({ x, y }));
  if (from === undefined || to === undefined || to.x - from.x < nodeSize.width) {
    return points.map(({ x, y }) => ({ x, y }));
  }
  return [{ x: from.x + half, y: from.y }, ...within, { x: to.x - half, y: to.y }];
}

import type { Dependency } from "../../api/dependencies.ts";
import { layOutLayers } from "../../graph/lay-out-layers.ts";
import { nodeSize, type PlacedGraph } from "./placed-graph.ts";

/**
 * Graphs with more calls than this get narrower gaps. With wide gaps a large graph would not fit at a
 * readable size.
 */
const many = 150;

/**
 * Lays out services in columns, so that most arrows lead from left to right. The first service of the list is
 * node 0. The same input always gives the same drawing.
 */
export function layOutGraph(dependencies: readonly Pick<Dependency, "parent" | "child">[]): PlacedGraph {
  const index = new Map<string, number>();
  const nodeOf = (name: string) => {
    const known = index.get(name) ?? index.size;
    index.set(name, known);
    return known;
  };
  const edges = dependencies.map(({ parent, child }) => ({ from: nodeOf(parent), to: nodeOf(child) }));
  const large = dependencies.length > many;
  const { width, height, places, lines } = layOutLayers(index.size, edges, {
    ...{ nodeWidth: nodeSize.width, nodeHeight: nodeSize.height, margin: 24, lineGap: 8 },
    ...{ nodeGap: large ? 10 : 24, columnGap: large ? 90 : 130 },
  });
  return {
    nodes: [...index.keys()].map((name, node) => ({ name, ...(places[node] ?? { x: 0, y: 0 }) })),
    edges: dependencies.map(({ parent, child }, edge) => ({ parent, child, points: lines[edge] ?? [] })),
    ...{ width, height },
  };
}

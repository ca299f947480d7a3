import type { Dependency } from "../../api/dependencies.ts";
import type { LaidOut, LayersRequest } from "../../graph/use-layers.ts";
import { nodeSize, type PlacedGraph } from "./placed-graph.ts";

/**
 * Graphs with more calls than this get narrower gaps. With wide gaps a large graph would not fit at a
 * readable size.
 */
const many = 150;

/** Calls between services, as a graph to lay out. */
export interface DependencyLayers extends LayersRequest {
  /** Names of the nodes, in the order of their numbers. */
  names: readonly string[];
  /** The calls, in the order of the edges. */
  dependencies: readonly Pick<Dependency, "parent" | "child">[];
}

/** Makes the request for a layout. The first service of the list is node 0. */
export function dependencyLayers(dependencies: DependencyLayers["dependencies"]): DependencyLayers {
  const index = new Map<string, number>();
  const nodeOf = (name: string) => {
    const known = index.get(name) ?? index.size;
    index.set(name, known);
    return known;
  };
  const edges = dependencies.map(({ parent, child }) => ({ from: nodeOf(parent), to: nodeOf(child) }));
  const large = dependencies.length > many;
  return {
    ...{ names: [...index.keys()], dependencies, nodes: index.size, edges },
    sizes: {
      ...{ nodeWidth: nodeSize.width, nodeHeight: nodeSize.height, margin: 24, lineGap: 8 },
      ...{ nodeGap: large ? 10 : 24, columnGap: large ? 90 : 130 },
    },
  };
}

/** Services in columns, so that most arrows lead from left to right. The same input always gives the same drawing. */
export function placedGraph({ request, layers }: LaidOut<DependencyLayers>): PlacedGraph {
  const { names, dependencies } = request;
  const { places, lines, width, height } = layers;
  return {
    nodes: names.map((name, node) => ({ name, ...(places[node] ?? { x: 0, y: 0 }) })),
    edges: dependencies.map(({ parent, child }, edge) => ({ parent, child, points: lines[edge] ?? [] })),
    ...{ width, height },
  };
}

import type { Dependency } from "../../api/dependencies.ts";
import { layOutGraph } from "./lay-out-graph.ts";
import type { PlacedGraph } from "./placed-graph.ts";

/** Dependencies to lay out. */
export interface LayoutQuestion {
  /** Comes back with the answer. */
  number: number;
  dependencies: readonly Dependency[];
}

/** Where they are. */
export interface LayoutAnswer {
  number: number;
  graph: PlacedGraph;
}

self.onmessage = ({ data }: MessageEvent<LayoutQuestion>) => {
  self.postMessage({ number: data.number, graph: layOutGraph(data.dependencies) } satisfies LayoutAnswer);
};

import { layOutLayers } from "./lay-out-layers.ts";
import type { LayersRequest } from "./use-layers.ts";

// The worker answers exactly one message: the page makes a new worker for each graph.
self.onmessage = ({ data: { nodes, edges, sizes } }: MessageEvent<LayersRequest>) => {
  self.postMessage(layOutLayers(nodes, edges, sizes));
};

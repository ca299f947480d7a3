import type { Dependency } from "../../api/dependencies.ts";
import { layOutGraph } from "./lay-out-graph.ts";

self.onmessage = (event: MessageEvent<readonly Dependency[]>) => {
  self.postMessage(layOutGraph(event.data));
};

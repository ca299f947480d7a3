import type { Dependency } from "../../api/dependencies.ts";
import { layOutGraph } from "./lay-out-graph.ts";

// The worker answers exactly one message: the page makes a new worker for each graph.
self.onmessage = (event: MessageEvent<readonly Dependency[]>) => {
  self.postMessage(layOutGraph(event.data));
};

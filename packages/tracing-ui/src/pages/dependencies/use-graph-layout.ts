import { useEffect, useState } from "react";
import type { Dependency } from "../../api/dependencies.ts";
import type { PlacedGraph } from "./placed-graph.ts";

/** Lays a graph out in a worker: the page never waits. @returns undefined until the first layout is there */
export function useGraphLayout(dependencies: readonly Dependency[]): {
  graph: PlacedGraph | undefined;
  error: string | undefined;
} {
  const [state, setState] = useState<{ graph: PlacedGraph | undefined; error: string | undefined }>({
    graph: undefined,
    error: undefined,
  });
  useEffect(() => {
    const worker = new Worker(new URL("./layout-worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = (event: MessageEvent<PlacedGraph>) => {
      setState({ graph: event.data, error: undefined });
      worker.terminate();
    };
    worker.onerror = (event) => setState({ graph: undefined, error: event.message || "the layout failed" });
    worker.postMessage(dependencies);
    return () => worker.terminate();
  }, [dependencies]);
  return state;
}

import { useEffect, useRef, useState } from "react";
import type { Dependency } from "../../api/dependencies.ts";
import type { PlacedGraph } from "./placed-graph.ts";

/**
 * Lays a graph out in a worker: the page never waits. The worker is there as long as the page is, so that it has read
 * its program when the dependencies arrive.
 * @returns undefined until the first layout is there
 */
export function useGraphLayout(dependencies: readonly Dependency[]): {
  graph: PlacedGraph | undefined;
  error: string | undefined;
} {
  const [state, setState] = useState<{ graph: PlacedGraph | undefined; error: string | undefined }>({
    graph: undefined,
    error: undefined,
  });
  const worker = useRef<Worker | undefined>(undefined);
  /** Layouts under way. They are answered in their order, and only the last one counts. */
  const open = useRef(0);
  useEffect(() => {
    const made = new Worker(new URL("./layout-worker.ts", import.meta.url), { type: "module" });
    made.onmessage = (event: MessageEvent<PlacedGraph>) => {
      open.current -= 1;
      if (open.current === 0) setState({ graph: event.data, error: undefined });
    };
    made.onerror = (event) => {
      open.current -= 1;
      setState({ graph: undefined, error: event.message || "the layout failed" });
    };
    worker.current = made;
    open.current = 0;
    return () => made.terminate();
  }, []);
  useEffect(() => {
    open.current += 1;
    worker.current?.postMessage(dependencies);
  }, [dependencies]);
  return state;
}

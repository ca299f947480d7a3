import { useEffect, useRef, useState } from "react";
import type { Dependency } from "../../api/dependencies.ts";
import type { LayoutAnswer, LayoutQuestion } from "./layout-worker.ts";
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
  const asked = useRef(0);
  useEffect(() => {
    const made = new Worker(new URL("./layout-worker.ts", import.meta.url), { type: "module" });
    made.onmessage = ({ data }: MessageEvent<LayoutAnswer>) => {
      if (data.number === asked.current) setState({ graph: data.graph, error: undefined });
    };
    made.onerror = (event) => setState({ graph: undefined, error: event.message || "the layout failed" });
    worker.current = made;
    return () => made.terminate();
  }, []);
  useEffect(() => {
    asked.current += 1;
    worker.current?.postMessage({ number: asked.current, dependencies } satisfies LayoutQuestion);
  }, [dependencies]);
  return state;
}

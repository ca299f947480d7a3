import { useEffect, useMemo, useState } from "react";
import type { Dependency } from "../../api/dependencies.ts";
import { layOutGraph } from "./lay-out-graph.ts";
import type { PlacedGraph } from "./placed-graph.ts";

/** Up to so many calls a layout takes less time than it takes a worker to begin. */
const mostAtOnce = 1_000;

interface LaidOut {
  graph: PlacedGraph | undefined;
  error: string | undefined;
}

const nothing: LaidOut = { graph: undefined, error: undefined };

/**
 * Lays a graph out: at once, or a huge one in a worker, so that the page never waits.
 * @returns no graph until the first layout of a huge one is there
 */
export function useGraphLayout(dependencies: readonly Dependency[]): LaidOut {
  const isHuge = dependencies.length > mostAtOnce;
  const [late, setLate] = useState(nothing);
  const atOnce = useMemo(
    () => (isHuge ? undefined : { graph: layOutGraph(dependencies), error: undefined }),
    [dependencies, isHuge],
  );
  useEffect(() => {
    if (!isHuge) return;
    const worker = new Worker(new URL("./layout-worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = (event: MessageEvent<PlacedGraph>) => setLate({ graph: event.data, error: undefined });
    worker.onerror = (event) => setLate({ graph: undefined, error: event.message || "the layout failed" });
    worker.postMessage(dependencies);
    // One that is still at work on older dependencies has nothing to say any more.
    return () => worker.terminate();
  }, [dependencies, isHuge]);
  return atOnce ?? late;
}

import { useEffect, useState } from "react";
import type { Dependency } from "../../api/dependencies.ts";
import { layOutGraph } from "./lay-out-graph.ts";
import type { PlacedGraph } from "./placed-graph.ts";

/** Limit of calls for a synchronous layout. Up to this limit it takes less time than the start of a worker. */
const mostAtOnce = 1_000;

interface LaidOut {
  /** The drawing; undefined before the first layout, and after a failure. */
  graph: PlacedGraph | undefined;
  /** Error of the worker; undefined without an error. */
  error: string | undefined;
}

/** Cached layouts by list of calls. React may discard a render it has begun, together with its memoised values. */
const done = new WeakMap<readonly Dependency[], LaidOut>();

const nothing: LaidOut = { graph: undefined, error: undefined };

/**
 * Lays a graph out: a small graph synchronously, a huge graph in a worker, so that the page never blocks.
 * @param dependencies calls to lay out; null while there are none yet
 * @returns undefined until the first layout is complete
 */
export function useGraphLayout(dependencies: readonly Dependency[] | null): LaidOut {
  const isHuge = dependencies !== null && dependencies.length > mostAtOnce;
  const [late, setLate] = useState(nothing);
  const atOnce = isHuge || dependencies === null ? undefined : layOutOnce(dependencies);
  useEffect(() => {
    if (!isHuge) {
      return;
    }
    const worker = new Worker(new URL("./layout-worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = (event: MessageEvent<PlacedGraph>) => setLate({ graph: event.data, error: undefined });
    worker.onerror = (event) => setLate({ graph: undefined, error: event.message || "the layout failed" });
    worker.postMessage(dependencies);
    // The result of a worker for older dependencies is no longer needed.
    return () => worker.terminate();
  }, [dependencies, isHuge]);
  return atOnce ?? late;
}

/** The layout of a list of calls, computed once for each list object. */
function layOutOnce(dependencies: readonly Dependency[]): LaidOut {
  let laidOut = done.get(dependencies);
  if (laidOut === undefined) {
    laidOut = { graph: layOutGraph(dependencies), error: undefined };
    done.set(dependencies, laidOut);
  }
  return laidOut;
}

import { useEffect, useState } from "react";
import type { Dependency } from "../../api/dependencies.ts";
import { layOutGraph } from "./lay-out-graph.ts";
import type { PlacedGraph } from "./placed-graph.ts";

/** Up to this many calls, a layout takes less time than the start of a worker. */
const mostAtOnce = 1_000;

interface LaidOut {
  /** The drawing; undefined before the first layout, and after a failure. */
  graph: PlacedGraph | undefined;
  /** Why the worker failed; undefined when it did not. */
  error: string | undefined;
}

/** Layouts by what was laid out: React may give up a render that it has begun, with all that was worked out in it. */
const done = new WeakMap<readonly Dependency[], LaidOut>();

const nothing: LaidOut = { graph: undefined, error: undefined };

/**
 * Lays a graph out: synchronously, or a huge one in a worker, so that the page never waits.
 * @param dependencies null: not yet
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
    // One that is still at work on older dependencies has nothing to say any more.
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

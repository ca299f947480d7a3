import { useMemo } from "react";
import type { Dependency } from "../../api/dependencies.ts";
import { useLayers } from "../../graph/use-layers.ts";
import { type DependencyLayers, dependencyLayers, placedGraph } from "./lay-out-graph.ts";
import type { PlacedGraph } from "./placed-graph.ts";

/** Cached requests by list of calls. React may discard a render it has begun, together with its memoised values. */
const requests = new WeakMap<readonly Dependency[], DependencyLayers>();

/**
 * Lays the graph of calls out.
 * @param dependencies calls to lay out; null while there are none yet
 * @returns undefined until the first layout is complete; during the layout of a new graph the old one
 */
export function useGraphLayout(dependencies: readonly Dependency[] | null): PlacedGraph | undefined {
  const laidOut = useLayers(dependencies === null ? undefined : requestOnce(dependencies));
  const { request, layers } = laidOut ?? {};
  return useMemo(
    () => (request === undefined || layers === undefined ? undefined : placedGraph({ request, layers })),
    [request, layers],
  );
}

/** The request for a list of calls, the same object for the same list. */
function requestOnce(dependencies: readonly Dependency[]): DependencyLayers {
  let request = requests.get(dependencies);
  if (request === undefined) {
    request = dependencyLayers(dependencies);
    requests.set(dependencies, request);
  }
  return request;
}

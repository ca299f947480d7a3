import { useEffect, useState } from "react";
import { type LaidOutLayers, type LayerSizes, layOutLayers } from "./lay-out-layers.ts";

/**
 * Maximum number of edges of a graph that is laid out synchronously. Such a layout takes less time than the start of
 * a worker.
 */
const mostAtOnce = 500;

/** A graph to lay out. */
export interface LayersRequest {
  /** Number of nodes. Edges name a node by its index from 0. */
  nodes: number;
  /** Start and end node of each edge, by index. */
  edges: readonly { from: number; to: number }[];
  /** Sizes of boxes and gaps. */
  sizes: LayerSizes;
}

/** A graph with its layout. */
export interface LaidOut<T extends LayersRequest> {
  /** The graph that was laid out, which may be older than the requested graph. */
  request: T;
  /** Its layout. */
  layers: LaidOutLayers;
}

/** Cached layouts by request. React may discard a render it has begun, together with its memoised values. */
const done = new WeakMap<LayersRequest, LaidOutLayers>();

/**
 * Lays a graph out: a small graph synchronously, a huge graph in a worker, so that the page does not block. Where no
 * worker can start, as in a saved trace, the page lays the graph out itself.
 * @param request the graph, the same object in each render; undefined while there is none yet
 * @returns the graph with its layout; during the layout of a new graph the old one; undefined before the first layout
 */
export function useLayers<T extends LayersRequest>(request: T | undefined): LaidOut<T> | undefined {
  const isHuge = request !== undefined && request.edges.length > mostAtOnce;
  const [late, setLate] = useState<LaidOut<T>>();
  useEffect(() => {
    if (!isHuge || done.has(request)) {
      return;
    }
    const { nodes, edges, sizes } = request;
    const keep = (layers: LaidOutLayers) => {
      done.set(request, layers);
      setLate({ request, layers });
    };
    const worker = new Worker(new URL("./layers-worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<LaidOutLayers>) => keep(data);
    worker.onerror = (event) => {
      event.preventDefault();
      keep(layOutLayers(nodes, edges, sizes));
    };
    worker.postMessage({ nodes, edges, sizes } satisfies LayersRequest);
    // The answer for an older graph is no longer needed.
    return () => worker.terminate();
  }, [request, isHuge]);
  if (request === undefined) {
    return late;
  }
  if (!isHuge && !done.has(request)) {
    done.set(request, layOutLayers(request.nodes, request.edges, request.sizes));
  }
  const layers = done.get(request);
  return layers === undefined ? late : { request, layers };
}

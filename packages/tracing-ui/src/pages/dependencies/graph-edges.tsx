import { memo, startTransition, useEffect, useMemo, useState } from "react";
import { formatCount } from "ui-kit/format/format-count.ts";
import type { RateRow } from "../../api/rates.ts";
import type { PlacedGraph } from "./placed-graph.ts";

type Edges = PlacedGraph["edges"];

/** Number of edges drawn in one frame; several hundred would block the page. */
const edgesAFrame = 100;

/** The inputs for the appearance of edges. */
interface EdgeLook {
  /** Number of calls, by edge id. */
  calls: ReadonlyMap<string, number>;
  /** Number of calls of the busiest edge. */
  most: number;
  /** Rates by service; undefined until loaded. */
  rates: ReadonlyMap<string, RateRow> | undefined;
  /** Exact error share of the edge's calls. When undefined, the share over all calls of the callee is drawn. */
  failedOf: (parent: string, child: string) => number | undefined;
  /** True when the edge is dim: the pointer is on a service that is neither its caller nor its callee. */
  isDim: (parent: string, child: string) => boolean;
}

/**
 * Calls as arrows: thicker for more calls, redder for a larger share of failures. A large graph is drawn over
 * several frames, one batch of edges per frame, so that clicks between the frames work.
 */
export function GraphEdges({ edges, ...look }: EdgeLook & { edges: Edges }) {
  const batches = useMemo(
    () =>
      Array.from({ length: Math.ceil(edges.length / edgesAFrame) }, (_, index) =>
        edges.slice(index * edgesAFrame, (index + 1) * edgesAFrame),
      ),
    [edges],
  );
  const [shown, setShown] = useState({ edges, batches: 1 });
  const count = shown.edges === edges ? shown.batches : 1;
  useEffect(() => {
    if (count >= batches.length) {
      return;
    }
    const frame = requestAnimationFrame(() => startTransition(() => setShown({ edges, batches: count + 1 })));
    return () => cancelAnimationFrame(frame);
  }, [edges, batches, count]);
  return batches.slice(0, count).map((batch) => {
    const [first] = batch;
    return <EdgeBatch key={first && edgeId(first.parent, first.child)} edges={batch} {...look} />;
  });
}

/** A batch of edges; drawn again only when its look changes. */
const EdgeBatch = memo(function EdgeBatch(props: EdgeLook & { edges: Edges }) {
  const { edges, calls, most, rates, failedOf, isDim } = props;
  return edges.map(({ parent, child, points }) => {
    const count = calls.get(edgeId(parent, child)) ?? 0;
    const share = failedOf(parent, child) ?? rates?.get(child)?.whole.errors ?? 0;
    return (
      <g key={edgeId(parent, child)} className={edgeClass(isDim(parent, child))}>
        <path
          d={smoothPath(points)}
          markerEnd="url(#arrow)"
          style={{
            strokeWidth: 1 + 4 * (Math.log1p(count) / Math.log1p(most)),
            // `color-mix` costs the browser more than a plain colour, and most edges have no failures.
            stroke:
              share === 0
                ? undefined
                : `color-mix(in oklch, var(--error-bar) ${Math.min(100, Math.round(share * 400))}%, var(--line-strong))`,
          }}
        >
          <title>{`${parent} calls ${child}: ${formatCount(count)} times`}</title>
        </path>
      </g>
    );
  });
});

/** A unique id for each edge. A plain join of the names could give two edges the same id. */
export function edgeId(parent: string, child: string): string {
  return JSON.stringify([parent, child]);
}

/** CSS class of an edge, and of the edge's label. */
export function edgeClass(dim: boolean): string {
  return dim ? "graph-edge dim" : "graph-edge";
}

/** A curve through points with horizontal ends: cubic curves with both handles halfway between the points. */
function smoothPath(points: readonly { x: number; y: number }[]): string {
  const [first] = points;
  if (first === undefined) {
    return "";
  }
  let path = `M${first.x} ${first.y}`;
  for (let index = 1; index < points.length; index += 1) {
    const from = points[index - 1] as { x: number; y: number };
    const to = points[index] as { x: number; y: number };
    const middle = (from.x + to.x) / 2;
    path += `C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`;
  }
  return path;
}

import "./service-graph.css";
import { useCallback, useDeferredValue, useMemo, useRef, useState } from "react";
import { useElementSize } from "ui-kit/components/use-element-size.ts";
import { durationText } from "ui-kit/format/format-duration.ts";
import { formatShare } from "ui-kit/format/format-rate.ts";
import type { Dependency, EdgeFacts } from "../../api/dependencies.ts";
import type { RateRow } from "../../api/rates.ts";
import { edgeClass, edgeId, GraphEdges } from "./graph-edges.tsx";
import { GraphNodes, rateText } from "./graph-nodes.tsx";
import type { PlacedGraph } from "./placed-graph.ts";
import { usePanZoom } from "./use-pan-zoom.ts";

/** Pixels between a neighbour's box and the text on its edge, which leave room for the arrow. */
const edgeTextGapPx = 14;

/** Below this scale boxes show only names in larger letters, because figures would be unreadable. */
const farScale = 0.7;

/** Exact facts of the edges to and from a service, by neighbour. */
export interface FocusFacts {
  /** Facts of calls to the focus, by caller. */
  callers: ReadonlyMap<string, EdgeFacts>;
  /** Facts of calls from the focus, by callee. */
  callees: ReadonlyMap<string, EdgeFacts>;
}

/** The inputs of {@link ServiceGraph}. */
interface ServiceGraphProps {
  /** The laid out graph; undefined before the first layout. */
  graph: PlacedGraph | undefined;
  /** Calls, most frequent first. */
  dependencies: readonly Dependency[];
  /** Milliseconds of the time range. Rates are counts divided by this length. */
  lookbackMs: number;
  /** Number of services in each group, by group name. */
  groups: ReadonlyMap<string, number>;
  /** Rates by service; undefined until loaded. */
  rates: ReadonlyMap<string, RateRow> | undefined;
  /** True when the rates could not be loaded. */
  ratesFailed: boolean;
  /** The service in focus; undefined for none. */
  focus: string | undefined;
  /** Figures of the edges at the focus. */
  facts: FocusFacts;
  /** Called with a clicked service. Must be a stable function; otherwise all boxes render again. */
  onFocus: (service: string) => void;
  /** Called with the name prefix of a clicked group. Must be a stable function too. */
  onGroup: (prefix: string) => void;
}

/**
 * Services as boxes, calls as arrows from left to right: thicker for more calls, redder for a larger share that
 * failed. Boxes are buttons: a click or Enter focuses on a service. Pointing at a service dims everything not
 * connected with it.
 *
 * Keys: arrows move the drawing, `+` and `−` zoom, `0` shows all. Until the first layout a note is shown.
 */
export function ServiceGraph(props: ServiceGraphProps) {
  const { graph, dependencies, groups, ratesFailed, lookbackMs, focus, facts, onFocus, onGroup } = props;
  const frame = useRef<HTMLDivElement>(null);
  const size = useElementSize(frame);
  // A graph too large to be readable as a whole opens at the focus, or without a focus at the busiest caller.
  const middle = focus ?? dependencies[0]?.parent;
  const at = useMemo(() => graph?.nodes.find(({ name }) => name === middle), [graph, middle]);
  const { state, zoom, reset, handlers } = usePanZoom(frame, graph, size, at);
  const [hover, setHover] = useState<string>();
  // New rates render hundreds of boxes, so panning and typing get priority.
  const rates = useDeferredValue(props.rates);
  const calls = useMemo(
    () => new Map(dependencies.map(({ parent, child, calls: count }) => [edgeId(parent, child), count])),
    [dependencies],
  );
  const lit = useLitNames(graph, hover);
  const isDim = useCallback(
    (parent: string, child: string) => hover !== undefined && parent !== hover && child !== hover,
    [hover],
  );
  const { factsOf, failedOf } = useFocusFacts(focus, facts);

  return (
    <div className={state.scale < farScale ? "graph far" : "graph"} ref={frame} {...handlers}>
      {graph === undefined && <p className="services-note">Laying out…</p>}
      <svg aria-hidden="true">
        <Arrow />
        {graph !== undefined && (
          <g transform={`translate(${state.x} ${state.y}) scale(${state.scale})`}>
            <GraphEdges
              edges={graph.edges}
              most={dependencies[0]?.calls ?? 1}
              {...{ calls, rates, failedOf, isDim }}
            />
            {/* Texts come after all lines, so that no line covers a text. */}
            <EdgeTexts edges={graph.edges} {...{ focus, lookbackMs, factsOf, isDim }} />
          </g>
        )}
      </svg>
      <ul
        className="graph-nodes"
        aria-label="Services"
        style={{ transform: `translate(${state.x}px, ${state.y}px) scale(${state.scale})` }}
      >
        {graph !== undefined && (
          <GraphNodes
            nodes={graph.nodes}
            {...{ rates, groups, ratesFailed, focus, lit, onFocus, onGroup }}
            onHover={setHover}
          />
        )}
      </ul>
      <GraphTools size={size} zoom={zoom} onAll={reset} />
    </div>
  );
}

/** Gives two functions for the edges at the focus: exact figures, and the share of failed calls. */
function useFocusFacts(focus: string | undefined, facts: FocusFacts) {
  const factsOf = useCallback(
    (parent: string, child: string) =>
      parent === focus ? facts.callees.get(child) : child === focus ? facts.callers.get(parent) : undefined,
    [focus, facts],
  );
  const failedOf = useCallback(
    (parent: string, child: string) => {
      const known = factsOf(parent, child);
      return known && known.errors / known.calls;
    },
    [factsOf],
  );
  return { factsOf, failedOf };
}

/** Names to highlight: the service under the pointer and its neighbours; undefined without such a service. */
function useLitNames(graph: PlacedGraph | undefined, hover: string | undefined) {
  return useMemo(() => {
    if (hover === undefined) {
      return undefined;
    }
    const names = new Set([hover]);
    for (const { parent, child } of graph?.edges ?? []) {
      if (parent === hover) {
        names.add(child);
      }
      if (child === hover) {
        names.add(parent);
      }
    }
    return names;
  }, [graph, hover]);
}

/** The arrowhead marker, which edges reference by id. */
function Arrow() {
  return (
    <defs>
      <marker
        id="arrow"
        viewBox="0 0 8 8"
        refX="7"
        refY="4"
        markerWidth="8"
        markerHeight="8"
        markerUnits="userSpaceOnUse"
        orient="auto"
      >
        <path d="M0 0.5 8 4 0 7.5Z" />
      </marker>
    </defs>
  );
}

/** The inputs of {@link EdgeTexts}. */
interface EdgeTextsProps {
  /** The drawn edges. */
  edges: PlacedGraph["edges"];
  /** The service in focus; undefined for none. */
  focus: string | undefined;
  /** Milliseconds of the time range. Rates are counts divided by this length. */
  lookbackMs: number;
  /** Figures of an edge; undefined when they are not known. */
  factsOf: (parent: string, child: string) => EdgeFacts | undefined;
  /** True when the pointer is on a service that is neither caller nor callee of the edge. */
  isDim: (parent: string, child: string) => boolean;
}

/** Texts with figures on the edges to and from the focus, beside the box of the neighbour. */
function EdgeTexts({ edges, focus, lookbackMs, factsOf, isDim }: EdgeTextsProps) {
  return edges.map(({ parent, child, points }) => {
    const known = factsOf(parent, child);
    const beside = child === focus ? points[0] : points.at(-1);
    if (known === undefined || beside === undefined) {
      return null;
    }
    return (
      <g key={edgeId(parent, child)} className={edgeClass(isDim(parent, child))}>
        <text y={beside.y - 6} textAnchor={child === focus ? "start" : "end"}>
          {edgeTexts(known, lookbackMs).map((text, index) => (
            <tspan
              key={text}
              x={beside.x + (child === focus ? edgeTextGapPx : -edgeTextGapPx)}
              dy={index === 0 ? 0 : index === 1 ? "1.8em" : "1.2em"}
            >
              {text}
            </tspan>
          ))}
        </text>
      </g>
    );
  });
}

/** The inputs of {@link GraphTools}. */
interface GraphToolsProps {
  /** Width and height of the window in pixels. The buttons zoom about its centre. */
  size: { width: number; height: number };
  /** Zooms by a factor about the point `x`, `y` of the window. */
  zoom: (factor: number, x: number, y: number) => void;
  /** Shows the whole graph. */
  onAll: () => void;
}

/** The buttons that zoom the graph. */
function GraphTools({ size, zoom, onAll }: GraphToolsProps) {
  return (
    <div className="graph-tools">
      <button
        type="button"
        className="icon-button"
        aria-label="Zoom in, +"
        onClick={() => zoom(1.25, size.width / 2, size.height / 2)}
      >
        +
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Zoom out, −"
        onClick={() => zoom(0.8, size.width / 2, size.height / 2)}
      >
        −
      </button>
      <button type="button" className="icon-button" aria-label="Show all, 0" onClick={onAll}>
        0
      </button>
    </div>
  );
}

/** The texts on an edge: calls, failures, 95th percentile. */
function edgeTexts({ calls, errors, p95 }: EdgeFacts, lookbackMs: number): string[] {
  const texts = [rateText(calls / (lookbackMs / 1_000))];
  if (errors > 0) {
    texts.push(`${formatShare(errors / calls)}\u00a0% failed`);
  }
  if (p95 !== undefined) {
    texts.push(`p95 ${durationText(p95)}`);
  }
  return texts;
}

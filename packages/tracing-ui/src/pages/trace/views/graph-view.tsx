import "./graph-view.css";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { CutName } from "ui-kit/components/cut-name.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { durationText } from "ui-kit/format/format-duration.ts";
import { Loading } from "../../../components/loading.tsx";
import { hueStyle } from "../../../components/service-mark.tsx";
import type { Point } from "../../../graph/lay-out-layers.ts";
import { useLayers } from "../../../graph/use-layers.ts";
import { leadingRoot, type Trace } from "../../../trace/trace.ts";
import { changedAddress } from "../trace-address.ts";
import {
  type GraphEdge,
  type GraphNode,
  graphAround,
  isTooLarge,
  type TraceGraph,
  traceGraph,
} from "./trace-graph.ts";

const route = getRouteApi("/trace/$traceId");
/** Width of a box, in pixels. */
const nodeWidth = 224;
/** Height of a box, in pixels. */
const nodeHeight = 56;
/** Sizes of the layout, in pixels. */
const sizes = { nodeWidth, nodeHeight, nodeGap: 18, lineGap: 18, columnGap: 64, margin: 20 };
/** Zoom factors, one for each step. */
const scales = [0.35, 0.5, 0.7, 0.85, 1, 1.25, 1.5];

/**
 * The calls within the trace, left to right. Boxes are operations, or services when there are too many operations.
 * Boxes lead to the waterfall. A large graph shows only the part around one box, at first the root; its other boxes
 * lead to the parts around them.
 */
export function GraphView({ trace, hues }: { trace: Trace; hues: ReadonlyMap<string, number> }) {
  const { whole, graph, middle } = useShownGraph(trace);
  const request = useMemo(() => ({ nodes: graph.nodes.length, edges: graph.edges, sizes }), [graph]);
  const laidOut = useLayers(request);
  const placed = laidOut?.request === request ? laidOut.layers : undefined;
  const [scale, setScale] = useState(4);
  const zoom = zoomOf(scale);
  const scroll = useStartInSight(placed?.places[0], zoom);
  return (
    <div className="trace-graph">
      <GraphTools {...{ trace, whole, graph, middle, scale, setScale }} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by key */}
      <section ref={scroll} className="trace-graph-scroll" aria-label="Graph of the trace" tabIndex={0}>
        {placed === undefined ? (
          <Loading>Laying out…</Loading>
        ) : (
          // biome-ignore lint/a11y/useSemanticElements: a picture of links, not a form
          <svg
            width={placed.width * zoom}
            height={placed.height * zoom}
            viewBox={`0 0 ${placed.width} ${placed.height}`}
            role="group"
            aria-label="Operations and the calls between them"
          >
            <Arrow />
            {graph.edges.map((edge, index) => (
              <Edge key={`${edge.from} ${edge.to}`} edge={edge} points={placed.lines[index] ?? []} />
            ))}
            {graph.nodes.map((node, index) => (
              <Node
                key={node.first}
                {...{ trace, hues, node }}
                isAway={middle !== undefined && node !== middle}
                at={placed.places[index] ?? { x: 0, y: 0 }}
              />
            ))}
          </svg>
        )}
      </section>
    </div>
  );
}

/**
 * The whole graph, and the part that is drawn. `middle` is the node in the middle of the part: the node of the chosen
 * span, else of the root. It is undefined when the whole graph is drawn.
 */
function useShownGraph(trace: Trace) {
  const { at, graph: choice } = route.useSearch();
  const whole = useMemo(() => traceGraph(trace), [trace]);
  const isPart = choice !== "all" && isTooLarge(whole);
  return useMemo(() => {
    if (!isPart) {
      return { whole, graph: whole as TraceGraph, middle: undefined };
    }
    const chosen = trace.spans.findIndex(({ spanID }) => spanID === at);
    const span = chosen === -1 ? (leadingRoot(trace) ?? 0) : chosen;
    const graph = graphAround(whole, whole.nodeOf[span] ?? 0);
    return { whole, graph, middle: graph.nodes[0] };
  }, [trace, whole, isPart, at]);
}

/** The zoom factor of a step. */
function zoomOf(scale: number): number {
  return scales[scale] ?? 1;
}

/** The inputs of {@link GraphTools}. */
interface GraphToolsProps {
  /** The trace, for the names of its services. */
  trace: Trace;
  whole: TraceGraph;
  /** The drawn part. */
  graph: TraceGraph;
  /** The node that the part is drawn around; undefined when all is drawn. */
  middle: GraphNode | undefined;
  /** The step of the zoom, an index into `scales`. */
  scale: number;
  /** Changes the step. */
  setScale: (scale: number) => void;
}

/** The counts of the graph, the switch between a part and the whole, and the zoom buttons. */
function GraphTools({ trace, whole, graph, middle, scale, setScale }: GraphToolsProps) {
  const address = route.useSearch();
  const what = whole.ofServices ? "services" : "operations";
  const all = `${formatCount(whole.nodes.length)} ${what}`;
  return (
    <div className="trace-graph-tools">
      <span className="muted">
        {middle === undefined
          ? `${all}, ${formatCount(whole.edges.length)} ways between them`
          : `${formatCount(graph.nodes.length)} of ${all}, around ${trace.services[middle.service] ?? ""} ${middle.operation ?? ""}`}
        {whole.ofServices && "; there are too many operations to draw each"}
      </span>
      {isTooLarge(whole) && (
        <Link
          to="/trace/$traceId"
          params={{ traceId: trace.traceId }}
          search={changedAddress(address, { graph: middle === undefined ? undefined : "all" })}
          className="button"
        >
          {middle === undefined ? "Show a part" : `Show all ${formatCount(whole.nodes.length)}`}
        </Link>
      )}
      <button
        type="button"
        className="icon-button"
        aria-label="Smaller"
        disabled={scale === 0}
        onClick={() => setScale(scale - 1)}
      >
        −
      </button>
      <span className="mono">{Math.round(zoomOf(scale) * 100)} %</span>
      <button
        type="button"
        className="icon-button"
        aria-label="Larger"
        disabled={scale === scales.length - 1}
        onClick={() => setScale(scale + 1)}
      >
        +
      </button>
    </div>
  );
}

/** The arrowhead marker, which lines reference by id. */
function Arrow() {
  return (
    <defs>
      <marker
        id="graph-arrow"
        viewBox="0 0 8 8"
        refX="7"
        refY="4"
        markerWidth="7"
        markerHeight="7"
        orient="auto"
      >
        <path d="M0 0.5 8 4 0 7.5z" className="graph-arrow" />
      </marker>
    </defs>
  );
}

/**
 * Scrolls a graph to its first node: the root of the trace, or the middle node of a part. This node is halfway down.
 * Otherwise a large graph would open at an empty area. Runs before the paint, and only once for each layout.
 */
function useStartInSight(start: Point | undefined, zoom: number) {
  const scroll = useRef<HTMLElement>(null);
  const shown = useRef<Point>(undefined);
  useLayoutEffect(() => {
    const { current: frame } = scroll;
    // A zoom must not scroll back to the first node: the user has already chosen a position.
    if (frame !== null && start !== undefined && shown.current !== start) {
      shown.current = start;
      frame.scrollTop = start.y * zoom - frame.clientHeight / 2;
      frame.scrollLeft = start.x * zoom - frame.clientWidth / 2;
    }
  }, [start, zoom]);
  return scroll;
}

/** A box: service, operation, self time, spans and failures. */
function Node(props: {
  trace: Trace;
  hues: ReadonlyMap<string, number>;
  node: GraphNode;
  /** True: the link leads to the part of the graph around this node, not to the waterfall. */
  isAway: boolean;
  at: { x: number; y: number };
}) {
  const { trace, hues, node, isAway, at } = props;
  const address = route.useSearch();
  const service = trace.services[node.service] ?? "";
  const span = trace.spans[node.first]?.spanID;
  return (
    <foreignObject x={at.x - nodeWidth / 2} y={at.y - nodeHeight / 2} width={nodeWidth} height={nodeHeight}>
      <Link
        to="/trace/$traceId"
        params={{ traceId: trace.traceId }}
        search={changedAddress(address, isAway ? { at: span } : { view: undefined, span })}
        className={`service graph-node ${node.errors > 0 ? "failed" : ""}`}
        style={hueStyle(hues.get(service))}
        title={`${service} ${node.operation ?? ""}: ${isAway ? "show what is around it" : "show the first of them in the waterfall"}`}
      >
        <span className="cut-names">
          <CutName strong>{service}</CutName> {node.operation && <CutName>{node.operation}</CutName>}
        </span>
        <span className="mono cut">
          {durationText(node.selfUs)}
          <span className="unit"> self · </span>×{formatCount(node.count)}
          {node.errors > 0 && <span className="graph-errors"> · {formatCount(node.errors)} failed</span>}
        </span>
      </Link>
    </foreignObject>
  );
}

/** A line with an arrow, thicker for more calls, with the number of calls as its label. */
function Edge({ edge, points }: { edge: GraphEdge; points: readonly Point[] }) {
  const end = points.at(-1);
  const before = points.at(-2);
  return (
    <g className={edge.errors > 0 ? "graph-edge failed" : "graph-edge"}>
      <path
        d={curve(points)}
        markerEnd="url(#graph-arrow)"
        strokeWidth={Math.min(5, 1 + Math.log10(edge.count))}
      />
      {end !== undefined && before !== undefined && edge.count > 1 && (
        <text x={(end.x + before.x) / 2} y={(end.y + before.y) / 2 - 4} textAnchor="middle">
          ×{formatCount(edge.count)}
        </text>
      )}
    </g>
  );
}

/** A curve through the points with horizontal ends. */
function curve(points: readonly Point[]): string {
  return points
    .map(({ x, y }, index) => {
      const from = points[index - 1];
      if (from === undefined) {
        return `M${x} ${y}`;
      }
      const middle = (from.x + x) / 2;
      return `C${middle} ${from.y} ${middle} ${y} ${x} ${y}`;
    })
    .join("");
}

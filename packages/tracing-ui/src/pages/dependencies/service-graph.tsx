import "./service-graph.css";
import { useMemo, useRef, useState } from "react";
import { useElementSize } from "ui-kit/components/use-element-size.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { durationText } from "ui-kit/format/format-duration.ts";
import { formatRate, formatShare } from "ui-kit/format/format-rate.ts";
import type { Dependency, EdgeFacts } from "../../api/dependencies.ts";
import type { RateRow } from "../../api/rates.ts";
import { hueStyle } from "../../components/service-mark.tsx";
import { nodeSize, type PlacedGraph } from "./placed-graph.ts";
import { usePanZoom } from "./use-pan-zoom.ts";

/** Between a neighbour's box and what stands on its edge; room for the arrow. */
const edgeTextGapPx = 14;

/** Below this scale boxes show their names only, larger. */
const farScale = 0.7;

/**
 * Services as boxes, calls as arrows from left to right: thicker for more calls, red by the share that failed.
 * Boxes are buttons; one is focused on by a click or Enter.
 * @param facts of the edges to and from the focus, by neighbour: exact
 */
export function ServiceGraph(props: {
  graph: PlacedGraph;
  dependencies: readonly Dependency[];
  lookbackMs: number;
  /** By service; undefined before they are known. */
  rates: ReadonlyMap<string, RateRow> | undefined;
  hues: ReadonlyMap<string, number>;
  focus: string | undefined;
  facts: { callers: ReadonlyMap<string, EdgeFacts>; callees: ReadonlyMap<string, EdgeFacts> };
  /** Names to stand out; the others are dim. Undefined: all alike. */
  marked: ReadonlySet<string> | undefined;
  onFocus: (service: string) => void;
}) {
  const { graph, dependencies, lookbackMs, rates, hues, focus, facts, marked, onFocus } = props;
  const frame = useRef<HTMLDivElement>(null);
  const size = useElementSize(frame);
  const { state, zoom, reset, handlers } = usePanZoom(frame, graph, size);
  const [hover, setHover] = useState<string>();
  const calls = useMemo(
    () => new Map(dependencies.map(({ parent, child, calls: count }) => [edgeId(parent, child), count])),
    [dependencies],
  );
  const most = dependencies[0]?.calls ?? 1;
  const near = useMemo(() => {
    if (hover === undefined) return undefined;
    const names = new Set([hover]);
    for (const { parent, child } of graph.edges) {
      if (parent === hover) names.add(child);
      if (child === hover) names.add(parent);
    }
    return names;
  }, [graph, hover]);
  const isDim = (name: string) =>
    (near !== undefined && !near.has(name)) ||
    (near === undefined && marked !== undefined && !marked.has(name));
  const edgeClass = (parent: string, child: string) => {
    const dim = near !== undefined ? parent !== hover && child !== hover : isDim(parent) || isDim(child);
    return dim ? "graph-edge dim" : "graph-edge";
  };

  const factsOf = (parent: string, child: string) =>
    parent === focus ? facts.callees.get(child) : child === focus ? facts.callers.get(parent) : undefined;

  return (
    <div className={state.scale < farScale ? "graph far" : "graph"} ref={frame} {...handlers}>
      <svg aria-hidden="true">
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
        <g transform={`translate(${state.x} ${state.y}) scale(${state.scale})`}>
          {graph.edges.map(({ parent, child, points }) => {
            const count = calls.get(edgeId(parent, child)) ?? 0;
            const known = factsOf(parent, child);
            const share =
              known === undefined ? (rates?.get(child)?.whole.errors ?? 0) : known.errors / known.calls;
            return (
              <g key={edgeId(parent, child)} className={edgeClass(parent, child)}>
                <path
                  d={smoothPath(points)}
                  markerEnd="url(#arrow)"
                  style={{
                    strokeWidth: 1 + 4 * (Math.log1p(count) / Math.log1p(most)),
                    stroke: `color-mix(in oklch, var(--error-bar) ${Math.min(100, Math.round(share * 400))}%, var(--line-strong))`,
                  }}
                >
                  <title>{`${parent} calls ${child}: ${formatCount(count)} times`}</title>
                </path>
              </g>
            );
          })}
          {/* After all lines, so that none leads through what is written. */}
          {graph.edges.map(({ parent, child, points }) => {
            const known = factsOf(parent, child);
            const beside = child === focus ? points[0] : points.at(-1);
            if (known === undefined || beside === undefined) return null;
            return (
              <g key={edgeId(parent, child)} className={edgeClass(parent, child)}>
                <text y={beside.y - 6} textAnchor={child === focus ? "start" : "end"}>
                  {edgeTexts(known, lookbackMs).map((text, index) => (
                    <tspan
                      key={text}
                      x={beside.x + (child === focus ? edgeTextGapPx : -edgeTextGapPx)}
                      dy={index === 0 ? 0 : index === 1 ? 20 : 13}
                    >
                      {text}
                    </tspan>
                  ))}
                </text>
              </g>
            );
          })}
        </g>
      </svg>
      <ul
        className="graph-nodes"
        aria-label="Services"
        style={{ transform: `translate(${state.x}px, ${state.y}px) scale(${state.scale})` }}
      >
        {graph.nodes.map(({ name, x, y }) => {
          const whole = rates?.get(name)?.whole;
          return (
            <li
              key={name}
              style={{ left: x - nodeSize.width / 2, top: y - nodeSize.height / 2, ...nodeSize }}
              className={isDim(name) ? "dim" : undefined}
            >
              <button
                type="button"
                className={`graph-node service ${name === focus ? "focused" : ""} ${whole !== undefined && whole.errors >= 0.05 ? "failing" : ""}`}
                style={hueStyle(hues.get(name))}
                title={name}
                aria-pressed={name === focus}
                onPointerEnter={() => setHover(name)}
                onPointerLeave={() => setHover(undefined)}
                onFocus={() => setHover(name)}
                onBlur={() => setHover(undefined)}
                onClick={() => onFocus(name)}
              >
                <span className="cut graph-name">{name}</span>
                <span className="mono graph-facts">
                  {whole === undefined ? (
                    <span className="unit">{rates === undefined ? "…" : "no calls answered"}</span>
                  ) : (
                    <>
                      {rateText(whole.calls)}
                      {whole.errors > 0 && (
                        <span className="graph-failed">{formatShare(whole.errors)}&nbsp;%</span>
                      )}
                      {whole.p95 !== undefined && <span className="unit">p95 {durationText(whole.p95)}</span>}
                    </>
                  )}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      <div className="graph-tools">
        <button
          type="button"
          className="icon-button"
          aria-label="Zoom in"
          onClick={() => zoom(1.25, size.width / 2, size.height / 2)}
        >
          +
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label="Zoom out"
          onClick={() => zoom(0.8, size.width / 2, size.height / 2)}
        >
          −
        </button>
        <button type="button" className="icon-button" aria-label="Show all" onClick={reset}>
          0
        </button>
      </div>
    </div>
  );
}

function edgeId(parent: string, child: string): string {
  return JSON.stringify([parent, child]);
}

function rateText(perSecond: number): string {
  const { figure, unit } = formatRate(perSecond);
  return figure + unit;
}

/** What stands on an edge: calls, failures, 95th percentile. */
function edgeTexts({ calls, errors, p95 }: EdgeFacts, lookbackMs: number): string[] {
  const texts = [rateText(calls / (lookbackMs / 1_000))];
  if (errors > 0) texts.push(`${formatShare(errors / calls)}\u00a0% failed`);
  if (p95 !== undefined) texts.push(`p95 ${durationText(p95)}`);
  return texts;
}

/** A curve through points that leaves and arrives level. */
function smoothPath(points: readonly { x: number; y: number }[]): string {
  const [first] = points;
  if (first === undefined) return "";
  let path = `M${first.x} ${first.y}`;
  for (let index = 1; index < points.length; index += 1) {
    const from = points[index - 1] as { x: number; y: number };
    const to = points[index] as { x: number; y: number };
    const middle = (from.x + to.x) / 2;
    path += `C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`;
  }
  return path;
}

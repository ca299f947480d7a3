import { memo } from "react";
import { CutName } from "ui-kit/components/cut-name.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { durationText } from "ui-kit/format/format-duration.ts";
import { formatRate, formatShare } from "ui-kit/format/format-rate.ts";
import { serviceHue } from "ui-kit/theme/service-hues.ts";
import { groupSign } from "../../api/dependencies.ts";
import type { RateRow } from "../../api/rates.ts";
import { hueStyle } from "../../components/service-mark.tsx";
import { nodeSize, type PlacedGraph } from "./placed-graph.ts";

/** Minimum share of failures for a red frame around a box. */
const failingShare = 0.05;

/** The inputs of {@link GraphNodes}. */
interface GraphNodesProps {
  /** Boxes with the positions of their centres. */
  nodes: PlacedGraph["nodes"];
  /** Rates by service; undefined until loaded. */
  rates: ReadonlyMap<string, RateRow> | undefined;
  /** True when the rates could not be loaded. */
  ratesFailed: boolean;
  /** Number of services in each group, by group name. */
  groups: ReadonlyMap<string, number>;
  /** The service in focus; undefined for none. */
  focus: string | undefined;
  /** Names of highlighted boxes, the others are dim; undefined: no box is dim. */
  lit: ReadonlySet<string> | undefined;
  /** Called with the service when pointer or focus enters a box, with undefined when it leaves. */
  onHover: (service: string | undefined) => void;
  /** Called with a clicked service. */
  onFocus: (service: string) => void;
  /** Called with the name prefix of a clicked group. */
  onGroup: (prefix: string) => void;
}

/**
 * Services and groups as boxes, which are buttons: a click focuses on a service, or opens a group.
 * Memoised: rendering hundreds of boxes takes longer than a frame.
 */
export const GraphNodes = memo(function GraphNodes(props: GraphNodesProps) {
  const { nodes, rates, ratesFailed, groups, focus, lit, onHover, onFocus, onGroup } = props;
  const unknown = ratesFailed ? "not known" : "…";
  return nodes.map(({ name, x, y }) => {
    const services = groups.get(name);
    const whole = rates?.get(name)?.whole;
    const failing = whole !== undefined && whole.errors >= failingShare;
    return (
      <li
        key={name}
        style={{ left: x - nodeSize.width / 2, top: y - nodeSize.height / 2, ...nodeSize }}
        className={lit === undefined || lit.has(name) ? undefined : "dim"}
      >
        <button
          type="button"
          className={`graph-node service ${services === undefined ? "" : "graph-group"} ${name === focus ? "focused" : ""} ${failing ? "failing" : ""}`}
          style={hueStyle(serviceHue(name))}
          title={name}
          aria-pressed={services === undefined ? name === focus : undefined}
          onPointerEnter={() => onHover(name)}
          onPointerLeave={() => onHover(undefined)}
          onFocus={() => onHover(name)}
          onBlur={() => onHover(undefined)}
          onClick={() => (services === undefined ? onFocus(name) : onGroup(name.slice(0, -groupSign.length)))}
        >
          <span className="graph-name">
            <CutName>{name}</CutName>
          </span>
          <span className="mono graph-facts">
            {services !== undefined ? (
              <span className="unit">{formatCount(services)} services</span>
            ) : whole === undefined ? (
              <span className="unit">{rates === undefined ? unknown : "no calls answered"}</span>
            ) : (
              <>
                {rateText(whole.calls)}
                {whole.errors > 0 && <span className="graph-failed">{formatShare(whole.errors)}&nbsp;%</span>}
                <span className="unit">p95 {durationText(whole.p95)}</span>
              </>
            )}
          </span>
        </button>
      </li>
    );
  });
});

/** Calls a second, with the unit. */
export function rateText(perSecond: number): string {
  const { figure, unit } = formatRate(perSecond);
  return figure + unit;
}

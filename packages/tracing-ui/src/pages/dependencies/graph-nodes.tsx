import { memo } from "react";
import { durationText } from "ui-kit/format/format-duration.ts";
import { formatRate, formatShare } from "ui-kit/format/format-rate.ts";
import { serviceHue } from "ui-kit/theme/service-hues.ts";
import type { RateRow } from "../../api/rates.ts";
import { hueStyle } from "../../components/service-mark.tsx";
import { nodeSize, type PlacedGraph } from "./placed-graph.ts";

/** Failures from this share on colour a box's frame. */
const failingShare = 0.05;

/** Services as boxes, which are buttons: one is focused on by a click or Enter. */
export const GraphNodes = memo(function GraphNodes(props: {
  nodes: PlacedGraph["nodes"];
  /** By service; undefined before they are known. */
  rates: ReadonlyMap<string, RateRow> | undefined;
  focus: string | undefined;
  /** Names that stand out, the others are dim; undefined: all alike. */
  lit: ReadonlySet<string> | undefined;
  onHover: (service: string | undefined) => void;
  onFocus: (service: string) => void;
}) {
  const { nodes, rates, focus, lit, onHover, onFocus } = props;
  return nodes.map(({ name, x, y }) => {
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
          className={`graph-node service ${name === focus ? "focused" : ""} ${failing ? "failing" : ""}`}
          style={hueStyle(serviceHue(name))}
          title={name}
          aria-pressed={name === focus}
          onPointerEnter={() => onHover(name)}
          onPointerLeave={() => onHover(undefined)}
          onFocus={() => onHover(name)}
          onBlur={() => onHover(undefined)}
          onClick={() => onFocus(name)}
        >
          <span className="cut graph-name">{name}</span>
          <span className="mono graph-facts">
            {whole === undefined ? (
              <span className="unit">{rates === undefined ? "…" : "no calls answered"}</span>
            ) : (
              <>
                {rateText(whole.calls)}
                {whole.errors > 0 && <span className="graph-failed">{formatShare(whole.errors)}&nbsp;%</span>}
                {whole.p95 !== undefined && <span className="unit">p95 {durationText(whole.p95)}</span>}
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

// biome-ignore-all lint/a11y/useSemanticElements: only rows in view exist and each is placed by itself, which no table row can be
import "./run-row.css";
import { type CSSProperties, memo } from "react";
import { Duration } from "ui-kit/components/duration.tsx";
import { Icon } from "ui-kit/components/icon.tsx";
import { hueStyle } from "../../components/service-mark.tsx";
import type { SiblingRun } from "../../trace/sibling-runs.ts";
import type { Trace } from "../../trace/trace.ts";
import { mostIndents } from "./span-row.tsx";

/** A folded run of like siblings: how many, when, and how long they last. A click or Enter unfolds it. */
export const RunRow = memo(function RunRow(props: {
  trace: Trace;
  /** The head of the run. */
  span: number;
  row: number;
  /** Pixels from the first row. */
  top: number;
  hue: number | undefined;
  fromUs: number;
  /** Percent of the lane's width per microsecond. */
  perUs: number;
  selected: boolean;
  /** Whether a filter matches none of them. */
  dimmed: boolean;
  run: SiblingRun;
}) {
  const { trace, span, row, top, hue, fromUs, perUs, selected, dimmed, run } = props;
  const depth = trace.depth[span] as number;
  const service = trace.service[span] as number;
  const name = trace.services[service];
  const operation = trace.spans[span]?.operationName;
  const parent = trace.parent[span] as number;
  const count = run.count.toLocaleString("en");
  const style = {
    ...hueStyle(hue),
    transform: `translateY(${top}px)`,
    "--indent": Math.min(depth, mostIndents),
  };
  const left = Math.max(-1, (run.startUs - fromUs) * perUs);
  const end = Math.min(100, (run.endUs - fromUs) * perUs);
  const states = [selected && "selected", dimmed && "dimmed"];
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: focus stays on the grid, which names its active row
    <div
      role="row"
      id={`span-${span}`}
      data-span={span}
      data-run
      aria-rowindex={row + 1}
      aria-level={depth + 1}
      aria-selected={selected}
      aria-expanded={false}
      className={`service span-row run-row ${states.filter(Boolean).join(" ")}`}
      style={style as CSSProperties}
    >
      <div
        role="gridcell"
        tabIndex={-1}
        className="span-name"
        title={`${count} spans in a row: ${name}: ${operation}`}
      >
        <span className="span-fold" aria-hidden="true">
          <Icon name="caret" />
        </span>
        <span className="span-stripe" aria-hidden="true" />
        <span className="run-count mono">×{count}</span>
        <span
          className={parent >= 0 && trace.service[parent] === service ? "visually-hidden" : "span-service"}
        >
          {name}
        </span>
        <span className="span-operation cut">{operation}</span>
        {run.errors > 0 && (
          <span className="span-below mono failed">
            {run.errors.toLocaleString("en")}
            <span className="visually-hidden"> failed</span>
          </span>
        )}
      </div>
      <div role="gridcell" tabIndex={-1} className="span-lane">
        {end >= 0 && left <= 100 && (
          <>
            <span className="run-bar" style={{ left: `${left}%`, width: `${Math.max(0, end - left)}%` }} />
            <span className="run-figures" style={figuresPlace(left, end)}>
              <span className="unit">p50</span> <Duration us={run.p50Us} /> <span className="unit">p95</span>{" "}
              <Duration us={run.p95Us} />
            </span>
          </>
        )}
        {end < 0 && <span className="span-outside before">‹</span>}
        {left > 100 && <span className="span-outside after">›</span>}
      </div>
    </div>
  );
});

/** On the bar where that is wide; otherwise after it, or before one that ends at the right edge. */
function figuresPlace(left: number, end: number): CSSProperties {
  if (end - left > 30) return { left: `${Math.max(0, left)}%`, marginLeft: 8 };
  return end < 65
    ? { left: `${Math.max(0, end)}%`, marginLeft: 4 }
    : { right: `${100 - left}%`, marginRight: 4 };
}

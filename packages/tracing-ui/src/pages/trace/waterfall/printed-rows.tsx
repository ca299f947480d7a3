import "./printed-rows.css";
import type { CSSProperties } from "react";
import { formatCount } from "ui-kit/format/format-count.ts";
import { durationText } from "ui-kit/format/format-duration.ts";
import { hueStyle } from "../../../components/service-mark.tsx";
import { spanFlag } from "../../../trace/trace.ts";
import { SpanDetail } from "../span-detail.tsx";
import { runOperations } from "./run-text.ts";
import { spanDetailId } from "./span-items.tsx";
import {
  foldedRunFrom,
  isDimmed,
  operationOf,
  peersOf,
  serviceOf,
  type WaterfallScene,
} from "./waterfall-scene.ts";

/** Maximum number of rows of a print, about a hundred pages. A browser needs minutes for many more. */
const mostRows = 5_000;
/** Maximum number of levels that are indented; names of deeper levels would have no room. */
const mostIndents = 16;

/** The inputs of {@link PrintedRows}. */
interface PrintedRowsProps {
  /** The scene on the screen. Its folds, filter and time range also apply to the print. */
  scene: WaterfallScene;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
}

/**
 * The waterfall on paper: every row as text with its bar, and the open details. The canvas of the screen has only the
 * rows in view. Mounted only while the browser prints.
 */
export function PrintedRows({ scene, hues }: PrintedRowsProps) {
  const { rows, view, ticks, trace } = scene;
  const { fromUs, toUs } = view.range;
  const left = rows.length - mostRows;
  return (
    <div className="printed-rows">
      {view.filter !== "" && (
        <p>
          Filter: <span className="mono">{view.filter}</span>
        </p>
      )}
      <div className="printed-row printed-scale mono" aria-hidden="true">
        <span className="printed-lane">
          {ticks.map(({ us, text }) => (
            <span key={us} style={{ left: `${(100 * (us - fromUs)) / (toUs - fromUs)}%` }}>
              {text}
            </span>
          ))}
        </span>
      </div>
      {Array.from(rows.subarray(0, mostRows), (span) => (
        <div key={span}>
          <PrintedRow {...{ scene, hues, span }} />
          {view.open.has(span) && (
            <SpanDetail
              {...{ span, hues, trace }}
              id={`printed-${spanDetailId(span)}`}
              top={0}
              peers={peersOf(scene, span)}
              dispatch={nothing}
              onHeight={nothing}
            />
          )}
        </div>
      ))}
      {left > 0 && (
        <p>{formatCount(left)} more rows are not printed. Fold or filter the trace to print other rows.</p>
      )}
    </div>
  );
}

const nothing = () => {};

/** One row: the name in its place in the tree, the bar, the duration. */
function PrintedRow({ scene, hues, span }: PrintedRowsProps & { span: number }) {
  const { trace, view } = scene;
  const { fromUs, toUs } = view.range;
  const run = foldedRunFrom(scene, span);
  const startUs = run?.startUs ?? (trace.offsetUs[span] as number);
  const endUs = run?.endUs ?? startUs + (trace.spanUs[span] as number);
  const share = (us: number) => Math.min(100, Math.max(0, (100 * (us - fromUs)) / (toUs - fromUs)));
  const failed = run === undefined ? ((trace.flags[span] as number) & spanFlag.error) !== 0 : run.errors > 0;
  const parent = trace.parent[span] as number;
  const service = serviceOf(scene, span);
  const folded =
    run === undefined && view.folded.has(span) ? (trace.subtreeEnd[span] as number) - span - 1 : 0;
  const style = {
    ...hueStyle(hues.get(service)),
    "--level": Math.min(trace.depth[span] as number, mostIndents),
    "--from": `${share(startUs)}%`,
    "--to": `${share(endUs)}%`,
  } as CSSProperties;
  const classes = ["printed-row service", failed && "failed", isDimmed(scene, span) && "dimmed"];
  return (
    <div className={classes.filter(Boolean).join(" ")} style={style}>
      <span className="printed-name">
        {run !== undefined && <span className="mono">×{formatCount(run.count)} </span>}
        {(parent < 0 || trace.service[parent] !== trace.service[span]) && <b>{service} </b>}
        {run === undefined ? operationOf(scene, span) : runOperations(run)}
        {folded > 0 && ` (+${formatCount(folded)})`}
        {failed && " – failed"}
      </span>
      <span className="printed-lane">
        {endUs >= fromUs && startUs <= toUs && <span className="printed-bar" />}
      </span>
      <span className="printed-figure mono">
        {run === undefined ? durationText(trace.spanUs[span] as number) : `p95 ${durationText(run.p95Us)}`}
      </span>
    </div>
  );
}

// biome-ignore-all lint/a11y/useSemanticElements: only rows in view exist and each is placed by itself, which no table row can be
import { type CSSProperties, memo } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import { durationText, formatDuration } from "ui-kit/format/format-duration.ts";
import { percentileText, type SpanPeers } from "../../api/trace-peers.ts";
import { hueStyle } from "../../components/service-mark.tsx";
import type { PathSection } from "../../trace/critical-path.ts";
import type { SiblingRun } from "../../trace/sibling-runs.ts";
import { errorsBelow, spanFlag, type Trace } from "../../trace/trace.ts";

/** Levels that are indented; deeper ones stay in line and carry their number, so that names keep their room. */
export const mostIndents = 12;
/** From this percentile on a span is among the slow ones of its operation, and says so in the text's colour. */
const slowFrom = 0.95;
/** Marks of events drawn on one bar. */
const mostEvents = 24;
/** Stretches of the critical path drawn on one bar. */
const mostSections = 100;

/** One span: its name in the tree, and its bar. Clicks are handled by the waterfall around it. */
export const SpanRow = memo(function SpanRow(props: {
  trace: Trace;
  span: number;
  row: number;
  /** Pixels from the first row. */
  top: number;
  hue: number | undefined;
  fromUs: number;
  /** Percent of the lane's width per microsecond. */
  perUs: number;
  selected: boolean;
  open: boolean;
  folded: boolean;
  /** Whether the row is only there to lead to a span that the filter matched. */
  dimmed: boolean;
  /** The unfolded run of like siblings that this span is the first of. */
  run: SiblingRun | undefined;
  /** Where the critical path runs through the span itself. */
  path: readonly PathSection[] | undefined;
  peers: SpanPeers | undefined;
}) {
  const { trace, span, row, top, hue, fromUs, perUs, selected, open, folded, dimmed, run, path, peers } =
    props;
  const flags = trace.flags[span] as number;
  const depth = trace.depth[span] as number;
  const below = (trace.subtreeEnd[span] as number) - span - 1;
  const failed = (flags & spanFlag.error) !== 0;
  const className = [
    "span-row",
    failed && "failed",
    selected && "selected",
    open && "open",
    dimmed && "dimmed",
  ];
  const style = {
    ...hueStyle(hue),
    transform: `translateY(${top}px)`,
    "--indent": Math.min(depth, mostIndents),
  };
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: focus stays on the grid, which names its active row
    <div
      role="row"
      id={`span-${span}`}
      data-span={span}
      aria-rowindex={row + 1}
      aria-level={depth + 1}
      aria-selected={selected}
      aria-expanded={below > 0 ? !folded : undefined}
      className={`service ${className.filter(Boolean).join(" ")}`}
      style={style as CSSProperties}
    >
      <SpanName {...{ trace, span, depth, below, folded, flags, run }} />
      <SpanBar {...{ trace, span, fromUs, perUs, path }} />
      {peers !== undefined && <SpanRank peers={peers} />}
    </div>
  );
});

function SpanName(props: {
  trace: Trace;
  span: number;
  depth: number;
  below: number;
  folded: boolean;
  flags: number;
  run: SiblingRun | undefined;
}) {
  const { trace, span, depth, below, folded, flags, run } = props;
  const service = trace.service[span] as number;
  const parent = trace.parent[span] as number;
  const name = trace.services[service];
  const operation = trace.spans[span]?.operationName;
  const hiddenErrors = folded ? errorsBelow(trace, span) : 0;
  const odd = flags & (spanFlag.parentMissing | spanFlag.cycle | spanFlag.duplicateId | spanFlag.warning);
  return (
    <div role="gridcell" tabIndex={-1} className="span-name" title={`${name}: ${operation}`}>
      <span className="span-fold" data-fold={below > 0 ? "" : undefined} aria-hidden="true">
        {below > 0 && <Icon name="caret" className={folded ? "" : "unfolded"} />}
      </span>
      {depth > mostIndents && (
        <span className="span-depth mono" title={`Level ${depth + 1}`}>
          {depth + 1}
        </span>
      )}
      <span className="span-stripe" aria-hidden="true" />
      {/* A child in its parent's service need not repeat the name: the stripe says it. */}
      <span className={parent >= 0 && trace.service[parent] === service ? "visually-hidden" : "span-service"}>
        {name}
      </span>
      <span className="span-operation cut">{operation}</span>
      {folded && below > 0 && (
        <span className={`span-below mono ${hiddenErrors > 0 ? "failed" : ""}`}>
          +{below.toLocaleString("en")}
          {hiddenErrors > 0 && <span className="visually-hidden">, {hiddenErrors} failed</span>}
        </span>
      )}
      {run !== undefined && (
        <button
          type="button"
          className="span-run mono"
          tabIndex={-1}
          data-run
          title={`Fold these ${run.count.toLocaleString("en")} like spans (h)`}
        >
          <Icon name="caret" className="unfolded" />×{run.count.toLocaleString("en")}
        </button>
      )}
      {odd !== 0 && (
        <span className="span-odd" title={oddity(odd)}>
          <Icon name="warning" />
          <span className="visually-hidden">{oddity(odd)}</span>
        </span>
      )}
      {(flags & spanFlag.error) !== 0 && (
        <span className="span-failed" title="This span failed">
          <Icon name="error" />
          <span className="visually-hidden">failed</span>
        </span>
      )}
    </div>
  );
}

function oddity(flags: number): string {
  if ((flags & spanFlag.parentMissing) !== 0) return "Its parent is not in this trace";
  if ((flags & spanFlag.cycle) !== 0) return "Its parents lead back to itself";
  if ((flags & spanFlag.duplicateId) !== 0) return "Its id is used by an earlier span";
  return "It carries warnings; open it to read them";
}

/** Where the span stands among its peers. */
function SpanRank({ peers }: { peers: SpanPeers }) {
  return (
    <div
      role="gridcell"
      tabIndex={-1}
      className={`span-rank mono ${peers.percentile >= slowFrom ? "slow" : ""}`}
      title={`Longer than ${percentileText(peers.percentile)} of ${peers.peers.toLocaleString("en")} recent spans of this operation (median ${durationText(peers.medianUs)})`}
    >
      {percentileText(peers.percentile)}
    </div>
  );
}

function SpanBar(props: {
  trace: Trace;
  span: number;
  fromUs: number;
  perUs: number;
  path: readonly PathSection[] | undefined;
}) {
  const { trace, span, fromUs, perUs, path } = props;
  const startUs = trace.offsetUs[span] as number;
  const us = trace.spanUs[span] as number;
  // Cut at the lane's ends: a bar a million times as wide as the window would not be drawn.
  const left = Math.max(-1, (startUs - fromUs) * perUs);
  const end = Math.min(100, (startUs + us - fromUs) * perUs);
  const { figure, unit } = formatDuration(us);
  const outside = end < 0 ? "before" : left > 100 ? "after" : undefined;
  return (
    <div role="gridcell" tabIndex={-1} className="span-lane">
      {outside === undefined ? (
        <>
          <span className="span-bar" style={{ left: `${left}%`, width: `${Math.max(0, end - left)}%` }} />
          <EventMarks {...{ trace, span, fromUs, perUs }} />
          {path?.slice(0, mostSections).map((section) => (
            <PathMark key={section.fromUs} {...{ section, fromUs, perUs }} />
          ))}
          <span className="span-label mono" style={{ left: `${Math.min(100, Math.max(0, end))}%` }}>
            {figure}
            <span className="unit">{`\u00a0${unit}`}</span>
          </span>
        </>
      ) : (
        <span className={`span-outside ${outside}`} title={`Runs ${outside} the time in view`}>
          {outside === "before" ? "‹" : "›"}
        </span>
      )}
    </div>
  );
}

function PathMark(props: { section: PathSection; fromUs: number; perUs: number }) {
  const { section, fromUs, perUs } = props;
  const left = Math.max(0, (section.fromUs - fromUs) * perUs);
  const end = Math.min(100, (section.toUs - fromUs) * perUs);
  if (end < 0 || left > 100) return null;
  return <span className="span-path" style={{ left: `${left}%`, width: `${end - left}%` }} />;
}

function EventMarks(props: { trace: Trace; span: number; fromUs: number; perUs: number }) {
  const { trace, span, fromUs, perUs } = props;
  const logs = trace.spans[span]?.logs ?? [];
  // By the span's own start: in the drawn trace idle time may be folded before it.
  const drawnUs = (trace.offsetUs[span] as number) - (trace.spans[span]?.startTime ?? 0);
  return logs.slice(0, mostEvents).map((log, index) => {
    const at = (log.timestamp + drawnUs - fromUs) * perUs;
    // biome-ignore lint/suspicious/noArrayIndexKey: events have no name of their own
    return at < 0 || at > 100 ? null : <span key={index} className="span-event" style={{ left: `${at}%` }} />;
  });
}

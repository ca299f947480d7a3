// biome-ignore-all lint/a11y/useSemanticElements: only rows in view exist and each is placed by itself, which no table row can be
import { type CSSProperties, memo } from "react";
import { Icon } from "../../components/icon.tsx";
import { hueStyle } from "../../components/service-mark.tsx";
import { formatDuration } from "../../format/format-duration.ts";
import { errorsBelow, spanFlag, type Trace } from "../../trace/trace.ts";

/** Levels that are indented; deeper ones stay in line and carry their number, so that names keep their room. */
const mostIndents = 12;
/** Marks of events drawn on one bar. */
const mostEvents = 24;

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
}) {
  const { trace, span, row, top, hue, fromUs, perUs, selected, open, folded, dimmed } = props;
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
      <SpanName {...{ trace, span, depth, below, folded, flags }} />
      <SpanBar {...{ trace, span, fromUs, perUs }} />
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
}) {
  const { trace, span, depth, below, folded, flags } = props;
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

function SpanBar(props: { trace: Trace; span: number; fromUs: number; perUs: number }) {
  const { trace, span, fromUs, perUs } = props;
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

function EventMarks(props: { trace: Trace; span: number; fromUs: number; perUs: number }) {
  const { trace, span, fromUs, perUs } = props;
  const logs = trace.spans[span]?.logs ?? [];
  return logs.slice(0, mostEvents).map((log, index) => {
    const at = (log.timestamp - trace.startUs - fromUs) * perUs;
    // biome-ignore lint/suspicious/noArrayIndexKey: events have no name of their own
    return at < 0 || at > 100 ? null : <span key={index} className="span-event" style={{ left: `${at}%` }} />;
  });
}

import { type Dispatch, type KeyboardEvent, type PointerEvent, useState } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import type { AxisTick } from "../../../trace/axis-ticks.ts";
import { matchNumber, type SpanFilter } from "../../../trace/filter-spans.ts";
import type { Trace } from "../../../trace/trace.ts";
import { FoldMenu } from "../fold-menu.tsx";
import { isWhole, type TraceView, type ViewAction } from "../trace-view.ts";

/** Pixels that an arrow key moves the edge of the name column. */
const edgeStepPx = 16;

/** Description of the filter syntax, as tooltip of the field. */
const filterHint = [
  "Words that a span holds, -word for spans without it, OR between two, and conditions:",
  "duration>100ms  self>=1s  depth<4",
  "status=error  status!=ok",
  "service=cart  http.status_code>=500  db.system!=redis  http.route=~^/api",
].join("\n");

/** The inputs of {@link WaterfallHead}. */
interface WaterfallHeadProps {
  /** The trace, for counts and folding. */
  trace: Trace;
  /** Filter, folding and visible time. */
  view: TraceView;
  /** The result of the filter; undefined without one. */
  filter: SpanFilter | undefined;
  /** Points of the time scale. */
  ticks: readonly AxisTick[];
  /** Width of the column of names, in pixels. */
  nameWidth: number;
  /** Called with the new width while the user moves the edge. */
  onNameWidth: (width: number) => void;
  /** Receives the actions of buttons and keys. */
  dispatch: Dispatch<ViewAction>;
}

/**
 * The sticky head of the waterfall: filter and folding, the time scale, and the edge between
 * both. With a filter it shows the number of matches, or the unreadable part of the filter.
 *
 * Keys in the field: Enter selects the next match and leaves the field; Esc clears the field, then leaves it.
 */
export function WaterfallHead(props: WaterfallHeadProps) {
  const { trace, view, filter, ticks, nameWidth, onNameWidth, dispatch } = props;
  const { fromUs, toUs } = view.range;
  return (
    <div className="waterfall-head">
      <Tools {...{ trace, view, filter, dispatch }} />
      <NameEdge width={nameWidth} onWidth={onNameWidth} />
      <div className="waterfall-scale mono">
        {ticks.map(({ us, text }) => (
          <span key={us} style={{ left: `${(100 * (us - fromUs)) / (toUs - fromUs)}%` }}>
            {text}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The inputs of the parts of the tools. */
type ToolsProps = Pick<WaterfallHeadProps, "trace" | "view" | "filter" | "dispatch">;

/** The tools left of the scale: filter, zoom and folding. */
function Tools({ trace, view, filter, dispatch }: ToolsProps) {
  return (
    <div className="waterfall-tools">
      <FilterField text={view.filter} filter={filter} dispatch={dispatch} />
      <FilterResult {...{ trace, view, filter, dispatch }} />
      {!isWhole(trace, view.range) && (
        <Tool
          icon="unzoom"
          label="Show the whole time range (0)"
          onClick={() => dispatch({ type: "zoomOut" })}
        />
      )}
      <FoldMenu trace={trace} rule={view.foldRule} dispatch={dispatch} />
      <Tool icon="foldAll" label="Fold all" onClick={() => dispatch({ type: "foldAll" })} />
      <Tool icon="unfoldAll" label="Unfold all" onClick={() => dispatch({ type: "unfoldAll" })} />
    </div>
  );
}

/** The inputs of {@link FilterField}. */
interface FilterFieldProps extends Pick<WaterfallHeadProps, "filter" | "dispatch"> {
  /** The text, as typed. The result of the filter may lag behind. */
  text: string;
}

function FilterField({ text, filter, dispatch }: FilterFieldProps) {
  return (
    <input
      className="field"
      data-slash
      data-command="Filter spans"
      data-key="/"
      aria-label="Filter spans"
      placeholder="Filter: words, duration>10ms, status=error"
      title={filterHint}
      aria-invalid={filter?.fault !== undefined}
      spellCheck={false}
      autoComplete="off"
      value={text}
      onChange={(event) => dispatch({ type: "filter", text: event.target.value })}
      onKeyDown={(event) => {
        if (event.key === "Escape" && text !== "") {
          dispatch({ type: "filter", text: "" });
        } else if (event.key === "Escape") {
          event.currentTarget.blur();
        } else if (event.key === "Enter" && filter !== undefined) {
          event.preventDefault();
          dispatch({ type: "nextMatch", by: event.shiftKey ? -1 : 1, filter });
          event.currentTarget.blur(); // from now on, keys act on the page
        }
      }}
    />
  );
}

/** The number of matches, buttons for the next and previous match, and the button that dims or hides other spans. */
function FilterResult({ trace, view, filter, dispatch }: ToolsProps) {
  return (
    <>
      <span className="filter-count" role="status">
        {filter !== undefined && (
          <FilterCount
            filter={filter}
            at={matchNumber(filter, view.selected)}
            total={trace.spans.length}
            dims={view.dims}
          />
        )}
      </span>
      {filter !== undefined && filter.matchCount > 0 && (
        <span className="filter-steps">
          <Tool
            icon="previous"
            label="Previous match (N)"
            onClick={() => dispatch({ type: "nextMatch", by: -1, filter })}
          />
          <Tool
            icon="next"
            label="Next match (n)"
            onClick={() => dispatch({ type: "nextMatch", by: 1, filter })}
          />
        </span>
      )}
      {filter !== undefined && (
        <button
          type="button"
          className="icon-button filter-others"
          title={view.dims ? "Hide the others" : "Dim the others and keep them in place"}
          aria-pressed={view.dims}
          onClick={() => dispatch({ type: "dim", on: !view.dims })}
        >
          {view.dims ? "Hide" : "Dim"}
        </button>
      )}
    </>
  );
}

/**
 * The result of the filter in words, or its error.
 * @param at number of the selected match, from 1; 0 when no match is selected
 */
function FilterCount(props: { filter: SpanFilter; at: number; total: number; dims: boolean }) {
  const { filter, at, total, dims } = props;
  if (filter.fault !== undefined) {
    return (
      <span className="filter-fault" title={filter.fault}>
        {filter.fault}
      </span>
    );
  }
  const others = dims ? total - filter.matchCount : filter.hiddenCount;
  return (
    <>
      {at > 0 && `${formatCount(at)} of `}
      <b>{formatCount(filter.matchCount)}</b> {filter.matchCount === 1 ? "match" : "matches"}
      <span className="unit">
        {" "}
        · {dims ? "dims" : "hides"} {formatCount(others)} of {formatCount(total)}
      </span>
    </>
  );
}

/** A button with an icon. */
function Tool(props: {
  icon: "foldAll" | "unfoldAll" | "unzoom" | "previous" | "next";
  label: string;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      className="icon-button"
      data-command=""
      title={props.label}
      aria-label={props.label}
      onClick={props.onClick}
    >
      <Icon name={props.icon} />
    </button>
  );
}

/** The edge between names and bars; it can be dragged, or moved with the arrow keys. */
function NameEdge({ width, onWidth }: { width: number; onWidth: (width: number) => void }) {
  const [grip, setGrip] = useState<number>();

  function begin(event: PointerEvent<HTMLDivElement>) {
    event.currentTarget.setPointerCapture(event.pointerId);
    setGrip(width - event.clientX);
  }

  function step(event: KeyboardEvent) {
    const by = { ArrowLeft: -edgeStepPx, ArrowRight: edgeStepPx }[event.key];
    if (by === undefined) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    onWidth(width + by);
  }

  return (
    // HTML has no element for a movable separator; hr neither takes focus nor has a value.
    // biome-ignore lint/a11y/useSemanticElements: see above
    <div
      className={grip === undefined ? "name-edge" : "name-edge dragging"}
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the names"
      aria-valuenow={width}
      tabIndex={0}
      onPointerDown={begin}
      onPointerMove={(event) => grip !== undefined && onWidth(grip + event.clientX)}
      onPointerUp={() => setGrip(undefined)}
      onPointerCancel={() => setGrip(undefined)}
      onKeyDown={step}
    />
  );
}

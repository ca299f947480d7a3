import "./waterfall.css";
import {
  type CSSProperties,
  type Dispatch,
  Fragment,
  type MouseEvent,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { useElementSize } from "ui-kit/components/use-element-size.ts";
import { durationText } from "ui-kit/format/format-duration.ts";
import type { SpanPeers } from "../../api/trace-peers.ts";
import { axisTicks } from "../../trace/axis-ticks.ts";
import type { CriticalPath } from "../../trace/critical-path.ts";
import type { SpanFilter } from "../../trace/filter-spans.ts";
import type { IdleGap } from "../../trace/idle-gaps.ts";
import { RowWindow } from "../../trace/row-window.ts";
import { siblingRuns } from "../../trace/sibling-runs.ts";
import type { Trace } from "../../trace/trace.ts";
import { rowOf } from "../../trace/visible-rows.ts";
import { RunRow } from "./run-row.tsx";
import { SpanDetail } from "./span-detail.tsx";
import { SpanRow } from "./span-row.tsx";
import type { TraceView, ViewAction } from "./trace-view.ts";
import { useNameWidth } from "./use-name-width.ts";
import { WaterfallHead } from "./waterfall-head.tsx";
import { rowsInView, WATERFALL_HEAD_PX, WATERFALL_ROW_PX } from "./waterfall-rows.ts";

/** Height of a panel of details until it has been measured, in pixels. */
const panelGuessPx = 320;
/** Room right of the time range for the labels of bars that end there, in pixels. */
const labelRoomPx = 76;
/** Room right of that for percentiles, in pixels, where they are known. Also in waterfall.css. */
const rankRoomPx = 44;

/**
 * The tree of spans beside their bars on the time axis. Rows are DOM elements, but only those in view exist:
 * what a frame costs depends on the height of the window and not on the trace, and names can be selected,
 * found by screen readers and styled like all else. The picture of all spans at once is the minimap's canvas.
 */
export function Waterfall(props: {
  trace: Trace;
  hues: ReadonlyMap<string, number>;
  view: TraceView;
  filter: SpanFilter | undefined;
  rows: Int32Array;
  path: CriticalPath;
  /** By span id; empty where the store does not know. */
  peers: ReadonlyMap<string, SpanPeers>;
  /** Folded. */
  gaps: readonly IdleGap[];
  dispatch: Dispatch<ViewAction>;
}) {
  const { trace, hues, view, filter, rows, path, peers, gaps, dispatch } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const { width, height } = useElementSize(scroller);
  const [nameWidth, setNameWidth] = useNameWidth(width);
  const [scrollTop, setScrollTop] = useState(0);
  const [panelHeights, setPanelHeights] = useState<ReadonlyMap<number, number>>(new Map());

  const rowWindow = useMemo(() => {
    const panels = [...view.open]
      .map((span) => ({ row: rowOf(rows, span), span }))
      .filter(({ row }) => row !== -1);
    return new RowWindow(
      rows.length,
      WATERFALL_ROW_PX,
      panels.map(({ row, span }) => ({ row, height: panelHeights.get(span) ?? panelGuessPx })),
    );
  }, [rows, view.open, panelHeights]);
  const { first, last } = rowsInView(rowWindow, rows.length, scrollTop, height);

  useScrollToSelected(scroller, rowWindow, rows, view.selected);

  function click(event: MouseEvent<HTMLDivElement>) {
    const target = event.target as HTMLElement;
    const row = target.closest<HTMLElement>("[data-span]");
    if (row === null || isSelectingText()) return;
    const span = Number(row.dataset.span);
    if (target.closest("[data-run]") !== null) dispatch({ type: "toggleRun", span });
    else if (target.closest("[data-fold]") !== null) dispatch({ type: "toggleFold", span });
    else dispatch({ type: "toggleOpen", span });
  }

  // A wheel listener of React's is passive; this one must keep the browser from zooming the page.
  const room = labelRoomPx + (peers.size > 0 ? rankRoomPx : 0);
  const lane = { left: nameWidth, width: Math.max(1, width - nameWidth - room) };
  useWheelZoom(scroller, lane, view, dispatch);

  const ticks = axisTicks(view.range, Math.max(2, Math.floor(lane.width / 130)), gaps);
  const perUs = 100 / (view.range.toUs - view.range.fromUs);
  const style = { "--name-width": `${nameWidth}px`, "--label-room": `${room}px` } as CSSProperties;
  const runs = siblingRuns(trace);
  const foldsRuns = filter === undefined || view.dims;
  const selectedRow = rowOf(rows, view.selected);

  return (
    <div
      className="waterfall"
      ref={scroller}
      style={style}
      onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
    >
      <WaterfallHead
        trace={trace}
        view={view}
        filter={filter}
        ticks={ticks}
        nameWidth={nameWidth}
        onNameWidth={setNameWidth}
        dispatch={dispatch}
      />
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the page do the same, see use-trace-keys.ts */}
      <div
        className="waterfall-body"
        role="treegrid"
        aria-label="Spans"
        aria-rowcount={rows.length}
        aria-activedescendant={
          selectedRow >= first && selectedRow <= last ? `span-${view.selected}` : undefined
        }
        tabIndex={0}
        style={{ height: Math.max(rowWindow.height, height - WATERFALL_HEAD_PX) }}
        onClick={click}
      >
        <div className="waterfall-grid" aria-hidden="true">
          {gaps.map(({ fromUs, toUs, lengthUs }) => (
            <span
              key={`gap ${fromUs}`}
              className="idle-gap"
              style={{
                left: `${(fromUs - view.range.fromUs) * perUs}%`,
                width: `${(toUs - fromUs) * perUs}%`,
              }}
            >
              <span>{durationText(lengthUs)} idle</span>
            </span>
          ))}
          {ticks.map(({ us }) => (
            <span key={us} style={{ left: `${(us - view.range.fromUs) * perUs}%` }} />
          ))}
        </div>
        {Array.from(rows.subarray(first, last + 1), (span, index) => {
          const row = first + index;
          const top = rowWindow.top(row);
          const run = foldsRuns ? runs.byHead.get(span) : undefined;
          const shared = {
            ...{ trace, span, row, top, perUs },
            hue: hues.get(trace.services[trace.service[span] as number] ?? ""),
            fromUs: view.range.fromUs,
            selected: span === view.selected,
          };
          if (run !== undefined && !view.openRuns.has(span)) {
            const matches = filter === undefined || filter.matches.subarray(span, run.end).includes(1);
            return <RunRow key={span} {...shared} run={run} dimmed={!matches} />;
          }
          return (
            <Fragment key={span}>
              <SpanRow
                {...shared}
                open={view.open.has(span)}
                folded={view.folded.has(span)}
                dimmed={filter !== undefined && filter.matches[span] === 0}
                run={run}
                path={path.bySpan.get(span)}
                peers={peers.get(trace.spans[span]?.spanID ?? "")}
              />
              {view.open.has(span) && (
                <SpanDetail
                  trace={trace}
                  span={span}
                  top={top + WATERFALL_ROW_PX}
                  hues={hues}
                  peers={peers.get(trace.spans[span]?.spanID ?? "")}
                  dispatch={dispatch}
                  onHeight={(panel) =>
                    setPanelHeights((old) => (old.get(span) === panel ? old : new Map(old).set(span, panel)))
                  }
                />
              )}
            </Fragment>
          );
        })}
        {rows.length === 0 && (
          <p className="waterfall-empty">No span of this trace holds all of “{view.filter}”.</p>
        )}
      </div>
    </div>
  );
}

/** Somebody who marks text in a row to copy it does not mean to open the row. */
function isSelectingText(): boolean {
  return document.getSelection()?.type === "Range";
}

/** Brings the selected row into view whenever another span is selected: at a third of the height at first, then just so. */
function useScrollToSelected(
  scroller: { current: HTMLDivElement | null },
  rowWindow: RowWindow,
  rows: Int32Array,
  selected: number,
): void {
  const last = useRef<number | undefined>(undefined);
  useEffect(() => {
    const box = scroller.current;
    const row = rowOf(rows, selected);
    if (box === null || box.clientHeight === 0 || last.current === selected) return;
    const opening = last.current === undefined;
    last.current = selected;
    if (row === -1) return;
    const top = rowWindow.top(row);
    const room = box.clientHeight - WATERFALL_HEAD_PX;
    // At a third of the height, so that opened details have room below; whole rows, so that none is cut.
    if (opening && top > room / 3) box.scrollTop = rowWindow.top(rowWindow.rowAt(top - room / 3));
    else if (top < box.scrollTop) box.scrollTop = top;
    else if (top + WATERFALL_ROW_PX > box.scrollTop + room) box.scrollTop = top + WATERFALL_ROW_PX - room;
  });
}

/** Ctrl and the wheel zoom about the pointer, as in a map; Shift and the wheel, or a sideways one, move along. */
function useWheelZoom(
  scroller: { current: HTMLDivElement | null },
  lane: { left: number; width: number },
  view: TraceView,
  dispatch: Dispatch<ViewAction>,
): void {
  useEffect(() => {
    const box = scroller.current;
    const onWheel = (event: WheelEvent) => {
      if (box === null) return;
      const zooms = event.ctrlKey || event.metaKey;
      const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
      if (!zooms && Math.abs(sideways) <= (event.shiftKey ? 0 : Math.abs(event.deltaY))) return;
      event.preventDefault();
      if (!zooms) return dispatch({ type: "pan", by: sideways / lane.width });
      const share = (event.clientX - box.getBoundingClientRect().left - lane.left) / lane.width;
      const { fromUs, toUs } = view.range;
      dispatch({
        type: "zoomBy",
        factor: Math.exp(event.deltaY / 300),
        centreUs: fromUs + share * (toUs - fromUs),
      });
    };
    box?.addEventListener("wheel", onWheel, { passive: false });
    return () => box?.removeEventListener("wheel", onWheel);
  }, [scroller, lane.left, lane.width, view.range, dispatch]);
}

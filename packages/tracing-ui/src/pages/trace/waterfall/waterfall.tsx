import "./waterfall.css";
import {
  type CSSProperties,
  type Dispatch,
  type FocusEvent,
  type MouseEvent,
  type PointerEvent,
  useMemo,
  useRef,
  useState,
} from "react";
import { useElementSize } from "ui-kit/components/use-element-size.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import type { SpanPeers } from "../../../api/trace-peers.ts";
import { axisTicks } from "../../../trace/axis-ticks.ts";
import type { CriticalPath } from "../../../trace/critical-path.ts";
import type { SpanFilter } from "../../../trace/filter-spans.ts";
import type { IdleGap } from "../../../trace/idle-gaps.ts";
import { RowWindow } from "../../../trace/row-window.ts";
import type { Trace } from "../../../trace/trace.ts";
import { rowOf } from "../../../trace/visible-rows.ts";
import { SpanDetail } from "../span-detail.tsx";
import type { TraceView, ViewAction } from "../trace-view.ts";
import { hintOf, hitRow, type RowHit } from "./hit-row.ts";
import { siblingPlaces } from "./sibling-places.ts";
import { SpanItems, spanDetailId, spanItemId } from "./span-items.tsx";
import { useNameWidth } from "./use-name-width.ts";
import { useScrollToSelected } from "./use-scroll-to-selected.ts";
import { useWaterfallPainter } from "./use-waterfall-painter.ts";
import { useWheelZoom } from "./use-wheel-zoom.ts";
import { WaterfallHead } from "./waterfall-head.tsx";
import { rowsInView, WATERFALL_HEAD_PX, WATERFALL_ROW_PX } from "./waterfall-rows.ts";
import { peersOf, type WaterfallScene } from "./waterfall-scene.ts";

/** Height of a panel of details until it has been measured, in pixels. */
const panelGuessPx = 320;
/** The items of the tree follow a scroll in steps of this size; the rows beyond the view cover what is between. */
const scrollStepPx = 4 * WATERFALL_ROW_PX;
/** Room right of the time range for the labels of bars that end there, in pixels. */
const labelRoomPx = 76;
/** Room right of that for percentiles, in pixels, where they are known. */
const rankRoomPx = 44;

/** The inputs of {@link Waterfall}. */
interface WaterfallProps {
  /** The trace as it is drawn, with idle gaps folded or not. */
  trace: Trace;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
  /** Selection, folding and visible time. */
  view: TraceView;
  /** The result of the filter; undefined without one. */
  filter: SpanFilter | undefined;
  /** Spans that are shown, from top to bottom. */
  rows: Int32Array;
  /** The critical path; without sections while it is not computed. */
  path: CriticalPath;
  /** By span id; empty where the store does not know. */
  peers: ReadonlyMap<string, SpanPeers>;
  /** By span id, as `notesBySpan` gives them. */
  notes: WaterfallScene["notes"];
  /** Idle gaps that are folded in this trace. */
  gaps: readonly IdleGap[];
  /** Takes the actions of clicks and keys. */
  dispatch: Dispatch<ViewAction>;
}

/**
 * The tree of spans beside their bars on the time axis, drawn on a canvas. Two things are elements above
 * it: the invisible items of the tree for screen readers, and the details of spans, which open in place. A
 * filter that matches nothing says so.
 */
export function Waterfall(props: WaterfallProps) {
  const { trace, hues, view, filter, rows, path, peers, notes, gaps, dispatch } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = useElementSize(scroller);
  const [nameWidth, setNameWidth] = useNameWidth(width);
  const [scrollTop, setScrollTop] = useState(0);
  const [panelHeights, setPanelHeights] = useState<ReadonlyMap<number, number>>(new Map());

  const panels = useMemo(
    () => [...view.open].map((span) => ({ row: rowOf(rows, span), span })).filter(({ row }) => row !== -1),
    [rows, view.open],
  );
  const rowWindow = useMemo(
    () =>
      new RowWindow(
        rows.length,
        WATERFALL_ROW_PX,
        panels.map(({ row, span }) => ({ row, height: panelHeights.get(span) ?? panelGuessPx })),
      ),
    [rows, panels, panelHeights],
  );
  const room = labelRoomPx + (peers.size > 0 ? rankRoomPx : 0);
  const laneWidth = Math.max(1, width - nameWidth - room);
  const ticks = useMemo(
    () => axisTicks(view.range, Math.max(2, Math.floor(laneWidth / 130)), gaps),
    [view.range, laneWidth, gaps],
  );
  const scene = useMemo<WaterfallScene>(
    () => ({
      ...{ trace, view, rows, rowWindow, filter, path, peers, notes, gaps, ticks },
      ...{ nameWidth, laneWidth, width },
    }),
    [trace, view, rows, rowWindow, filter, path, peers, notes, gaps, ticks, nameWidth, laneWidth, width],
  );
  const places = useMemo(() => siblingPlaces(trace, rows), [trace, rows]);
  const painter = useWaterfallPainter(canvas, scene, hues, height);
  useScrollToSelected(scroller, rowWindow, rows, view.selected);
  useWheelZoom(scroller, { left: nameWidth, width: laneWidth }, view, dispatch);
  const { first, last } = rowsInView(rowWindow, rows.length, scrollTop, height);

  function hitBy(event: MouseEvent<HTMLDivElement>): RowHit | undefined {
    const texts = painter?.pen?.texts;
    if (texts === undefined) {
      return undefined;
    }
    const box = event.currentTarget.getBoundingClientRect();
    return hitRow(scene, texts, event.clientX - box.left, event.clientY - box.top);
  }

  function click(event: MouseEvent<HTMLDivElement>) {
    // A screen reader presses the item itself, at no point.
    const item = event.detail === 0 ? (event.target as HTMLElement).dataset.span : undefined;
    const hit = item === undefined ? hitBy(event) : { span: Number(item), part: "name" };
    if (hit === undefined) {
      return;
    }
    if (hit.part === "run") {
      dispatch({ type: "toggleRun", span: hit.span });
    } else if (hit.part === "fold") {
      dispatch({ type: "toggleFold", span: hit.span });
    } else {
      dispatch({ type: "toggleOpen", span: hit.span });
    }
  }

  function point(event: PointerEvent<HTMLDivElement>) {
    const hit = hitBy(event);
    painter?.point(hit?.row ?? -1);
    event.currentTarget.title = hit === undefined ? "" : hintOf(scene, hit);
  }

  /** A user who arrives by key is on a row at once, because a tree without an active item is silent. */
  function enter(event: FocusEvent<HTMLDivElement>) {
    if (view.selected !== -1 || !event.currentTarget.matches(":focus-visible")) {
      return;
    }
    const span = rows[rowWindow.rowAt(scroller.current?.scrollTop ?? 0)];
    if (span !== undefined) {
      dispatch({ type: "select", span });
    }
  }

  const selectedRow = rowOf(rows, view.selected);
  const style = { "--name-width": `${nameWidth}px`, "--label-room": `${room}px` } as CSSProperties;
  return (
    <div
      className="waterfall"
      ref={scroller}
      style={style}
      onScroll={({ currentTarget }) => {
        painter?.scrollTo(currentTarget.scrollTop);
        setScrollTop(Math.floor(currentTarget.scrollTop / scrollStepPx) * scrollStepPx);
      }}
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
      <div
        className="waterfall-body"
        style={{ height: Math.max(rowWindow.height, height - WATERFALL_HEAD_PX) }}
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: what can be operated are the items of the tree within */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the page do the same, see use-trace-keys.ts */}
        <div
          className="waterfall-rows"
          onClick={click}
          onPointerMove={point}
          onPointerLeave={() => painter?.point(-1)}
        >
          {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a canvas takes no focus */}
          <canvas ref={canvas} aria-hidden="true" />
          {rows.length > 0 && (
            <div
              className="waterfall-tree"
              role="tree"
              aria-label={`Spans, ${formatCount(rows.length)} ${rows.length === 1 ? "row" : "rows"}`}
              aria-activedescendant={selectedRow === -1 ? undefined : spanItemId(view.selected)}
              tabIndex={0}
              onFocus={enter}
            >
              <SpanItems {...{ scene, places, first, last }} />
            </div>
          )}
        </div>
        {panels
          .filter(({ row }) => row >= first && row <= last)
          .map(({ row, span }) => (
            <SpanDetail
              key={span}
              {...{ trace, span, hues, dispatch }}
              id={spanDetailId(span)}
              top={rowWindow.top(row) + WATERFALL_ROW_PX}
              peers={peersOf(scene, span)}
              onHeight={(panel) =>
                setPanelHeights((old) => (old.get(span) === panel ? old : new Map(old).set(span, panel)))
              }
            />
          ))}
        {rows.length === 0 && (
          <p className="waterfall-empty">No span of this trace meets all of “{view.filter}”.</p>
        )}
      </div>
    </div>
  );
}

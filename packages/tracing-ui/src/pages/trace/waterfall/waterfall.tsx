import "./waterfall.css";
import {
  type CSSProperties,
  type Dispatch,
  type FocusEvent,
  type RefObject,
  useMemo,
  useRef,
  useState,
} from "react";
import { useElementSize } from "ui-kit/components/use-element-size.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import type { SpanPeers } from "../../../api/trace-peers.ts";
import { usePrinting } from "../../../components/use-printing.ts";
import type { CriticalPath } from "../../../trace/critical-path.ts";
import type { SpanFilter } from "../../../trace/filter-spans.ts";
import type { IdleGap } from "../../../trace/idle-gaps.ts";
import type { Trace } from "../../../trace/trace.ts";
import { rowOf } from "../../../trace/visible-rows.ts";
import { SpanDetail } from "../span-detail.tsx";
import type { TraceView, ViewAction } from "../trace-view.ts";
import { PrintedRows } from "./printed-rows.tsx";
import { rowPointer } from "./row-pointer.ts";
import { type SiblingPlaces, siblingPlaces } from "./sibling-places.ts";
import { SpanItems, spanDetailId, spanItemId } from "./span-items.tsx";
import { useNameWidth } from "./use-name-width.ts";
import { type OpenPanel, useScene } from "./use-scene.ts";
import { useScrollToSelected } from "./use-scroll-to-selected.ts";
import { useWaterfallPainter } from "./use-waterfall-painter.ts";
import { useWheelZoom } from "./use-wheel-zoom.ts";
import { WaterfallHead } from "./waterfall-head.tsx";
import type { WaterfallPainter } from "./waterfall-painter.ts";
import { rowsInView, WATERFALL_HEAD_PX, WATERFALL_ROW_PX } from "./waterfall-rows.ts";
import { peersOf, type WaterfallScene } from "./waterfall-scene.ts";

/** Step in pixels by which the tree items follow a scroll. The rows beyond the view cover smaller scrolls. */
const scrollStepPx = 4 * WATERFALL_ROW_PX;

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
  /** Shown spans, top to bottom. */
  rows: Int32Array;
  /** The critical path; without sections while it is not computed. */
  path: CriticalPath;
  /** Percentile ranks by span id; empty when the store does not know them. */
  peers: ReadonlyMap<string, SpanPeers>;
  /** Notes by span id, as `notesBySpan` returns them. */
  notes: WaterfallScene["notes"];
  /** Idle gaps that are folded in this trace. */
  gaps: readonly IdleGap[];
  /** Receives the actions of clicks and keys. */
  dispatch: Dispatch<ViewAction>;
}

/**
 * The tree of spans beside their bars on the time axis, drawn on a canvas. Two kinds of elements are above
 * it: the invisible tree items for screen readers, and the details of spans, which open in place. For a
 * filter without matches a sentence is shown.
 */
export function Waterfall(props: WaterfallProps) {
  const { trace, hues, view, filter, rows, dispatch } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = useElementSize(scroller);
  const [nameWidth, setNameWidth] = useNameWidth(width);
  const [scrollTop, setScrollTop] = useState(0);
  const printing = usePrinting();
  const [panelHeights, setPanelHeights] = useState<ReadonlyMap<number, number>>(new Map());
  const { panels, scene, room } = useScene(props, { width, nameWidth, panelHeights });
  const { rowWindow, laneWidth, ticks } = scene;
  const places = useMemo(() => siblingPlaces(trace, rows), [trace, rows]);
  const painter = useWaterfallPainter(canvas, scene, hues, height);
  useScrollToSelected(scroller, rowWindow, rows, view.selected);
  useWheelZoom(scroller, { left: nameWidth, width: laneWidth }, view, dispatch);
  const { first, last } = rowsInView(rowWindow, rows.length, scrollTop, height);

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
        <Rows {...{ canvas, scroller, scene, painter, places, first, last, dispatch }} />
        <Panels
          {...{ panels, scene, hues, first, last, dispatch }}
          onHeight={(span, panel) =>
            setPanelHeights((old) => (old.get(span) === panel ? old : new Map(old).set(span, panel)))
          }
        />
        {rows.length === 0 && (
          <p className="waterfall-empty">No span of this trace meets all of “{view.filter}”.</p>
        )}
      </div>
      {printing && <PrintedRows {...{ scene, hues }} />}
    </div>
  );
}

/** The inputs of {@link Rows}. */
interface RowsProps {
  /** The canvas that the rows are drawn on. */
  canvas: RefObject<HTMLCanvasElement | null>;
  scroller: RefObject<HTMLDivElement | null>;
  /** The drawn scene. */
  scene: WaterfallScene;
  /** The painter of the rows; undefined before the canvas exists. */
  painter: WaterfallPainter | undefined;
  /** Positions of the spans among their siblings, for the tree items. */
  places: SiblingPlaces;
  /** First row near the view. */
  first: number;
  /** Last row near the view. */
  last: number;
  /** Receives the actions of clicks and of the focus. */
  dispatch: Dispatch<ViewAction>;
}

/** The drawn rows, and the invisible tree items above them. */
function Rows({ canvas, scroller, scene, painter, places, first, last, dispatch }: RowsProps) {
  const { view, rows, rowWindow } = scene;
  const selectedRow = rowOf(rows, view.selected);

  /** Selects a row when the focus enters the tree by key, because screen readers are silent without an active item. */
  function enter(event: FocusEvent<HTMLDivElement>) {
    if (view.selected !== -1 || !event.currentTarget.matches(":focus-visible")) {
      return;
    }
    const span = rows[rowWindow.rowAt(scroller.current?.scrollTop ?? 0)];
    if (span !== undefined) {
      dispatch({ type: "select", span });
    }
  }

  return (
    // Assistive technology clicks the tree items inside. use-trace-keys.ts handles the same actions by key.
    <div className="waterfall-rows" {...rowPointer({ scene, painter, dispatch })}>
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
  );
}

/** The inputs of {@link Panels}. */
interface PanelsProps {
  /** The open details. */
  panels: readonly OpenPanel[];
  /** The drawn scene. */
  scene: WaterfallScene;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
  /** First row near the view. */
  first: number;
  /** Last row near the view. */
  last: number;
  /** Receives the actions of the panels. */
  dispatch: Dispatch<ViewAction>;
  /** Called with a span and the height of its panel in pixels, now and when it changes. */
  onHeight: (span: number, height: number) => void;
}

/** The details of spans near the view, each below its row. */
function Panels({ panels, scene, hues, first, last, dispatch, onHeight }: PanelsProps) {
  return panels
    .filter(({ row }) => row >= first && row <= last)
    .map(({ row, span }) => (
      <SpanDetail
        key={span}
        {...{ span, hues, dispatch }}
        trace={scene.trace}
        id={spanDetailId(span)}
        top={scene.rowWindow.top(row) + WATERFALL_ROW_PX}
        peers={peersOf(scene, span)}
        onHeight={(height) => onHeight(span, height)}
      />
    ));
}

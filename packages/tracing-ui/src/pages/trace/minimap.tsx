import "./minimap.css";
import {
  type Dispatch,
  type PointerEvent,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { useElementSize } from "ui-kit/components/use-element-size.ts";
import { durationText } from "ui-kit/format/format-duration.ts";
import { useTheme } from "ui-kit/theme/use-theme.ts";
import { type AxisTick, axisTicks } from "../../trace/axis-ticks.ts";
import type { CriticalPath } from "../../trace/critical-path.ts";
import type { IdleGap } from "../../trace/idle-gaps.ts";
import type { Trace } from "../../trace/trace.ts";
import { drawMinimap, minimapColours } from "./draw-minimap.ts";
import { isWhole, type TimeRange, type ViewAction, wholeRange } from "./trace-view.ts";

/** A drag shorter than this, in pixels, is a click and selects no range. */
const clickPx = 4;
/** Width in pixels reserved for a time label. */
const labelPx = 64;

/** The inputs of {@link Minimap}. */
interface MinimapProps {
  /** The trace as it is drawn, with idle gaps folded or not. */
  trace: Trace;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
  /** The critical path; undefined until it is computed, and not drawn then. */
  path: CriticalPath | undefined;
  /** Idle gaps that are folded in this trace. */
  gaps: readonly IdleGap[];
  /** The time range that the waterfall shows. */
  range: TimeRange;
  /** Receives the zoom action of a drag. */
  dispatch: Dispatch<ViewAction>;
}

/**
 * The whole trace as a strip. Each span is a line in its service's colour. Errors are drawn on top in red. The
 * critical path is a dark line along the lower edge of its spans. The time outside the waterfall's view is
 * veiled.
 *
 * A drag selects another time range, its edges can be dragged, a double click shows the whole trace. Screen readers
 * get one sentence, because the waterfall has the same content as text.
 */
export function Minimap(props: MinimapProps) {
  const { trace, hues, path, gaps, range, dispatch } = props;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = useElementSize(frame);
  const theme = useTheme();
  const total = wholeRange(trace).toUs;
  const { shown, isDragging, handlers } = useRangeDrag({ frame, total, range, dispatch });

  useEffect(() => {
    if (canvas.current === null || width === 0 || theme === undefined || path === undefined) {
      return;
    }
    drawMinimap(canvas.current, trace, {
      path,
      colours: minimapColours(canvas.current, trace, hues),
      size: { width, height },
    });
  }, [trace, hues, path, theme, width, height]);

  const ticks = useMemo(
    () => axisTicks({ fromUs: 0, toUs: total }, Math.max(2, Math.floor(width / 140)), gaps),
    [total, width, gaps],
  );
  return (
    <div className="minimap">
      <div
        ref={frame}
        className="minimap-frame"
        role="img"
        aria-label={`Overview of ${trace.spans.length} spans over ${durationText(total)}`}
        {...handlers}
        onDoubleClick={() => dispatch({ type: "zoomOut" })}
      >
        {gaps.map(({ fromUs, toUs }) => (
          <span
            key={`gap ${fromUs}`}
            className="idle-gap"
            style={{ left: percent(fromUs, total), width: percent(toUs - fromUs, total) }}
          />
        ))}
        {ticks.slice(1).map(({ us }) => (
          <span key={us} className="minimap-tick" style={{ left: percent(us, total) }} />
        ))}
        <canvas ref={canvas} />
        <RangeInView {...{ shown, total }} isFramed={isDragging || !isWhole(trace, range)} />
      </div>
      <Scale {...{ ticks, total, width }} />
    </div>
  );
}

/** The range between two times, which may be in any order. */
function orderedRange(a: number, b: number): TimeRange {
  return { fromUs: Math.min(a, b), toUs: Math.max(a, b) };
}

/** The inputs of {@link useRangeDrag}. */
interface RangeDrag {
  /** The element whose width is the whole time of the trace. */
  frame: RefObject<HTMLElement | null>;
  /** The whole time, in microseconds. */
  total: number;
  /** The time range that the waterfall shows. */
  range: TimeRange;
  /** Receives the zoom action at the end of a drag. */
  dispatch: Dispatch<ViewAction>;
}

/**
 * Selects a range by the pointer, or drags an edge of the current range. Returns the listeners of the frame, and the
 * range to show: during a drag, the dragged range.
 */
function useRangeDrag({ frame, total, range, dispatch }: RangeDrag) {
  // The fixed edge and the moving edge in microseconds, and where the drag began in pixels; undefined
  // without a drag.
  const [drag, setDrag] = useState<{ anchorUs: number; toUs: number; x: number }>();
  const shown = drag === undefined ? range : orderedRange(drag.anchorUs, drag.toUs);
  const timeAt = (event: PointerEvent) => {
    const box = frame.current?.getBoundingClientRect();
    if (box === undefined) {
      return 0;
    }
    return total * Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  };

  function begin(event: PointerEvent<HTMLDivElement>) {
    if (event.button !== 0) {
      return;
    }
    event.currentTarget.setPointerCapture(event.pointerId);
    // Dragging an edge starts a drag that is anchored at the other edge.
    const edge = (event.target as HTMLElement).dataset.edge;
    const at = timeAt(event);
    const anchorUs = edge === "from" ? range.toUs : edge === "to" ? range.fromUs : at;
    setDrag({ anchorUs, toUs: at, x: edge === undefined ? event.clientX : Number.NEGATIVE_INFINITY });
  }

  function end(event: PointerEvent) {
    if (drag !== undefined && Math.abs(event.clientX - drag.x) >= clickPx) {
      dispatch({ type: "zoom", range: orderedRange(drag.anchorUs, timeAt(event)) });
    }
    setDrag(undefined);
  }

  const handlers = {
    onPointerDown: begin,
    onPointerMove: (event: PointerEvent) => drag !== undefined && setDrag({ ...drag, toUs: timeAt(event) }),
    onPointerUp: end,
    onPointerCancel: () => setDrag(undefined),
  };
  return { shown, isDragging: drag !== undefined, handlers };
}

/** The inputs of {@link RangeInView}. */
interface RangeInViewProps {
  /** The visible range, or the range being selected. */
  shown: TimeRange;
  /** The whole time, in microseconds. */
  total: number;
  /** True when the range has a frame with draggable edges. */
  isFramed: boolean;
}

/** Veils over the hidden times, and a frame around the visible range. */
function RangeInView({ shown, total, isFramed }: RangeInViewProps) {
  return (
    <>
      <span className="minimap-veil" style={{ left: 0, width: percent(shown.fromUs, total) }} />
      <span className="minimap-veil" style={{ left: percent(shown.toUs, total), right: 0 }} />
      {isFramed && (
        <span
          className="minimap-view"
          style={{ left: percent(shown.fromUs, total), width: percent(shown.toUs - shown.fromUs, total) }}
        >
          <span className="minimap-edge" data-edge="from" />
          <span className="minimap-edge" data-edge="to" />
        </span>
      )}
    </>
  );
}

/** The inputs of {@link Scale}. */
interface ScaleProps {
  /** Points of time with their texts. */
  ticks: readonly AxisTick[];
  /** The whole time, in microseconds. */
  total: number;
  /** Width of the strip, in pixels. */
  width: number;
}

/** The times below the strip. */
function Scale({ ticks, total, width }: ScaleProps) {
  return (
    <div className="minimap-scale mono" aria-hidden="true">
      {ticks.map(({ us, text }) => (
        <span
          key={us}
          // A label without room to the right of its point is placed to the left.
          className={((total - us) / total) * width < labelPx ? "before" : undefined}
          style={{ left: percent(us, total) }}
        >
          {text}
        </span>
      ))}
    </div>
  );
}

/** A time as a share of the whole time, as a CSS percentage. */
function percent(us: number, total: number): string {
  return `${(100 * us) / total}%`;
}

import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";

/** The visible part of a drawing: a point of the drawing is at `point * scale + offset` of the window. */
export interface PanZoom {
  /** Offset from the left, in pixels of the window. */
  x: number;
  /** Offset from the top, in pixels of the window. */
  y: number;
  /** Pixels of the window for a pixel of the drawing. */
  scale: number;
}

/**
 * Minimum and maximum scale. `leastFit` is the minimum scale for fitting a whole drawing: below it names are
 * unreadable.
 */
const bounds = { least: 0.08, most: 2.5, leastFit: 0.5 };

/**
 * Computes scale and offset so that a drawing fits, centred. A drawing too large to be readable as a whole
 * is shown at a readable scale around a point, without empty room beyond its edges.
 * @param at point of the drawing to show; default: the middle of the left side
 */
export function fit(
  drawing: { width: number; height: number },
  view: { width: number; height: number },
  at: { x: number; y: number } = { x: 0, y: drawing.height / 2 },
): PanZoom {
  const whole = Math.min(view.width / drawing.width, view.height / drawing.height, 1.15);
  const scale = Math.max(bounds.leastFit, whole);
  const along = (room: number, length: number, place: number) =>
    room >= length * scale
      ? (room - length * scale) / 2
      : Math.min(0, Math.max(room - length * scale, room / 2 - place * scale));
  return {
    x: along(view.width, drawing.width, at.x),
    y: along(view.height, drawing.height, at.y),
    scale,
  };
}

/** Scale and offset before there is a drawing to fit. */
const start: PanZoom = { x: 0, y: 0, scale: 1 };

/**
 * Moves and zooms a drawing by dragging, wheel and keys: arrows, `+` and `−`, `0`. A new drawing or window
 * size shows all again. The wheel listener is removed with the component.
 * @param at see `fit`
 */
export function usePanZoom(
  view: RefObject<HTMLElement | null>,
  drawing: { width: number; height: number } | undefined,
  size: { width: number; height: number },
  at: { x: number; y: number } | undefined,
) {
  const fitted = useMemo(
    () => (drawing === undefined || drawing.width === 0 || size.width === 0 ? start : fit(drawing, size, at)),
    [drawing, size, at],
  );
  /** The user's pan and zoom, and the fit from which it started. */
  const [moved, setMoved] = useState<{ from: PanZoom; to: PanZoom }>();
  const state = moved?.from === fitted ? moved.to : fitted;
  const drag = useRef<Drag>(undefined);

  const setState = useCallback(
    (step: (old: PanZoom) => PanZoom) =>
      setMoved((old) => ({ from: fitted, to: step(old?.from === fitted ? old.to : fitted) })),
    [fitted],
  );
  const reset = useCallback(() => setMoved(undefined), []);

  const zoom = useCallback(
    (factor: number, x: number, y: number) => {
      setState((old) => {
        const scale = Math.min(bounds.most, Math.max(bounds.least, old.scale * factor));
        const ratio = scale / old.scale;
        return { scale, x: x - (x - old.x) * ratio, y: y - (y - old.y) * ratio };
      });
    },
    [setState],
  );

  useWheel(view, zoom);
  const move = useCallback(
    (dx: number, dy: number) => setState((old) => ({ ...old, x: old.x + dx, y: old.y + dy })),
    [setState],
  );
  const handlers = {
    ...dragHandlers(drag, move),
    onKeyDown: (event: KeyboardEvent) => onKey(event, { move, zoom, reset, size }),
  };
  return { state, zoom, reset, handlers };
}

/** A drag: last pointer position in pixels of the window, and whether the pointer has moved. */
interface Drag {
  x: number;
  y: number;
  moved: boolean;
}

/** Zooms about the pointer by the wheel. The listener is removed with the component. */
function useWheel(
  view: RefObject<HTMLElement | null>,
  zoom: (factor: number, x: number, y: number) => void,
): void {
  useEffect(() => {
    const element = view.current;
    if (element === null) {
      return;
    }
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
    };
    // React's own wheel listeners cannot keep the page from scrolling.
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [view, zoom]);
}

/** Moves the drawing with a pressed pointer. The click after a drag is suppressed, or the box below would handle it. */
function dragHandlers(drag: RefObject<Drag | undefined>, move: (dx: number, dy: number) => void) {
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button === 0) {
        drag.current = { x: event.clientX, y: event.clientY, moved: false };
      }
    },
    onPointerMove(event: PointerEvent) {
      const from = drag.current;
      if (from === undefined || event.buttons === 0) {
        return;
      }
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      // Movements below 4 pixels count as a click: a hand may tremble.
      if (!from.moved && Math.hypot(dx, dy) < 4) {
        return;
      }
      drag.current = { x: event.clientX, y: event.clientY, moved: true };
      move(dx, dy);
    },
    onClickCapture(event: { preventDefault(): void; stopPropagation(): void }) {
      if (drag.current?.moved !== true) {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
      drag.current = undefined;
    },
  };
}

/** The effects of keys on the drawing. */
interface KeyActions {
  /** Moves the drawing by pixels. */
  move: (dx: number, dy: number) => void;
  /** Zooms the drawing about a point of the window. */
  zoom: (factor: number, x: number, y: number) => void;
  /** Shows the whole drawing. */
  reset: () => void;
  /** Width and height of the window in pixels. Keys zoom about its centre. */
  size: { width: number; height: number };
}

/** Distance in pixels by which each arrow key moves the drawing. */
const steps: Readonly<Record<string, readonly [dx: number, dy: number]>> = {
  ArrowLeft: [80, 0],
  ArrowRight: [-80, 0],
  ArrowUp: [0, 80],
  ArrowDown: [0, -80],
};

/** Handles a key: arrows move, + and − zoom, 0 shows all. */
function onKey(event: KeyboardEvent, { move, zoom, reset, size }: KeyActions): void {
  const step = steps[event.key];
  if (step !== undefined) {
    move(...step);
  } else if (event.key === "+" || event.key === "=") {
    zoom(1.25, size.width / 2, size.height / 2);
  } else if (event.key === "-") {
    zoom(0.8, size.width / 2, size.height / 2);
  } else if (event.key === "0") {
    reset();
  } else {
    return;
  }
  event.preventDefault();
}

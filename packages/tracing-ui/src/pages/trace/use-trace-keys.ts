import { type Dispatch, useEffect, useEffectEvent } from "react";
import { isTyping } from "ui-kit/components/typing-target.ts";
import type { SpanFilter } from "../../trace/filter-spans.ts";
import type { ViewAction } from "./trace-view.ts";

/** Zoom factor of a key: the new range has this share of the old length. */
const zoomStep = 0.6;
/** Step of a key that moves the range, as a share of the visible range. */
const panStep = 0.25;

/** State that keys act on. */
interface TraceKeys {
  /** The spans of the shown rows. */
  readonly rows: Int32Array;
  /** The selected span, −1 for none. */
  readonly selected: number;
  /** The filter whose matches `n` and `N` select in turn; undefined without a filter. */
  readonly filter: SpanFilter | undefined;
  /** Receives the action of a key. */
  readonly dispatch: Dispatch<ViewAction>;
  /** False while another view is shown: other views have different keys. */
  readonly on: boolean;
}

/**
 * Handles the keys of the trace page, wherever the focus is, except in fields and dialogs. The listener is removed with
 * the page.
 *
 * Keys:
 * - `j` `k` and arrows: next and previous row; Page Up and Page Down: twenty rows; Home, End
 * - `h` `l` and arrows: fold or select the parent, unfold or select a child; 1 to 9: show this number of levels
 * - Enter: open or close the details
 * - `e` `E`: next and previous error; `n` `N`: next and previous match
 * - `+` `−` `[` `]` `0`: zoom, move the range, show the whole time
 * - Esc: clear the filter, then the selection
 */
export function useTraceKeys({ rows, selected, filter, dispatch, on }: TraceKeys): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!on || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) {
      return;
    }
    if (document.querySelector("dialog[open]") !== null) {
      return;
    }
    const action = actionOf(event, rows, selected, filter);
    if (action === undefined) {
      return;
    }
    event.preventDefault();
    dispatch(action);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    window.addEventListener("keydown", listener);
    return () => window.removeEventListener("keydown", listener);
  }, []);
}

/** The action of a key; undefined for a key without one. */
function actionOf(
  event: KeyboardEvent,
  rows: Int32Array,
  selected: number,
  filter: SpanFilter | undefined,
): ViewAction | undefined {
  if (/^[1-9]$/.test(event.key)) {
    return { type: "foldBy", rule: { by: "depth", levels: Number(event.key) } };
  }
  switch (event.key) {
    case "j":
    case "ArrowDown":
      return { type: "move", by: 1, rows };
    case "k":
    case "ArrowUp":
      return { type: "move", by: -1, rows };
    case "PageDown":
      return { type: "move", by: 20, rows };
    case "PageUp":
      return { type: "move", by: -20, rows };
    case "Home":
      return { type: "move", by: -rows.length, rows };
    case "End":
      return { type: "move", by: rows.length, rows };
    case "h":
    case "ArrowLeft":
      return { type: "foldOrParent" };
    case "l":
    case "ArrowRight":
      return { type: "unfoldOrChild" };
    case "Enter":
      return selected === -1 || isOfControl(event) ? undefined : { type: "toggleOpen", span: selected };
    case "e":
      return { type: "nextError", by: 1 };
    case "E":
      return { type: "nextError", by: -1 };
    case "n":
      return filter === undefined ? undefined : { type: "nextMatch", by: 1, filter };
    case "N":
      return filter === undefined ? undefined : { type: "nextMatch", by: -1, filter };
    case "+":
    case "=":
      return { type: "zoomBy", factor: zoomStep };
    case "-":
      return { type: "zoomBy", factor: 1 / zoomStep };
    case "[":
      return { type: "pan", by: -panStep };
    case "]":
      return { type: "pan", by: panStep };
    case "0":
      return { type: "zoomOut" };
    case "Escape":
      return { type: "escape" };
    default:
      return undefined;
  }
}

/** True when the focus is on a button or a link, which handle Enter themselves. */
function isOfControl({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest("button, a, summary") !== null;
}

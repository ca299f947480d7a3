import type { RowWindow } from "../../../trace/row-window.ts";

/** Height of a row in pixels; --waterfall-row in tokens.css says the same. */
export const WATERFALL_ROW_PX = 22;
/** Height of the sticky head above the rows in pixels. */
export const WATERFALL_HEAD_PX = 34;

/** Rows kept beyond the edges of the view, so that a scroll shows rows before the next frame made them. */
const overscan = 12;
/** The window moves in steps of this many rows, so that most scrolled pixels render nothing new. */
const step = 4;

/**
 * The rows to draw.
 * @returns first and last row, both included; last is first − 1 when there are none
 */
export function rowsInView(
  window: RowWindow,
  rows: number,
  scrollTop: number,
  height: number,
): { first: number; last: number } {
  if (rows === 0) {
    return { first: 0, last: -1 };
  }
  const top = Math.floor(window.rowAt(scrollTop) / step) * step;
  const bottom = Math.ceil(window.rowAt(scrollTop + height) / step) * step;
  return { first: Math.max(0, top - overscan), last: Math.min(rows - 1, bottom + overscan) };
}

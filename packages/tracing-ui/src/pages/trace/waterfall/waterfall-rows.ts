import type { RowWindow } from "../../../trace/row-window.ts";

/** Height of a row in pixels. --waterfall-row in tokens.css must have the same height. */
export const WATERFALL_ROW_PX = 22;
/** Height of the sticky head above the rows in pixels. */
export const WATERFALL_HEAD_PX = 34;

/** Number of rows rendered beyond each edge of the view, so that a scroll shows rows at once. */
const overscan = 12;
/** Step in rows by which the window moves, so that most scroll events render nothing new. */
const step = 4;

/**
 * Computes the rows to draw.
 * @returns first and last row, both inclusive; without rows, last is first − 1
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

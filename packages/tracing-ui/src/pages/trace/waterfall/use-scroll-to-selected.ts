import { type RefObject, useEffect, useRef } from "react";
import type { RowWindow } from "../../../trace/row-window.ts";
import { rowOf } from "../../../trace/visible-rows.ts";
import { WATERFALL_HEAD_PX, WATERFALL_ROW_PX } from "./waterfall-rows.ts";

/**
 * Scrolls to the selected row after each new selection: first to a third of the height, later only as far as needed.
 */
export function useScrollToSelected(
  scroller: RefObject<HTMLDivElement | null>,
  rowWindow: RowWindow,
  rows: Int32Array,
  selected: number,
): void {
  const last = useRef<number | undefined>(undefined);
  useEffect(() => {
    const box = scroller.current;
    // `clientHeight` is read last, because reading it forces a layout of the page.
    if (last.current === selected || box === null || box.clientHeight === 0) {
      return;
    }
    const row = rowOf(rows, selected);
    const opening = last.current === undefined;
    last.current = selected;
    if (row === -1) {
      return;
    }
    const top = rowWindow.top(row);
    const room = box.clientHeight - WATERFALL_HEAD_PX;
    // At a third of the height, so that opened details have room below; whole rows, so that none is cut.
    if (opening && top > room / 3) {
      box.scrollTop = rowWindow.top(rowWindow.rowAt(top - room / 3));
    } else if (top < box.scrollTop) {
      box.scrollTop = top;
    } else if (top + WATERFALL_ROW_PX > box.scrollTop + room) {
      box.scrollTop = top + WATERFALL_ROW_PX - room;
    }
  });
}

import { type RefObject, useEffect, useRef } from "react";
import type { RowWindow } from "../../../trace/row-window.ts";
import { rowOf } from "../../../trace/visible-rows.ts";
import { WATERFALL_HEAD_PX, WATERFALL_ROW_PX } from "./waterfall-rows.ts";

/** Brings the selected row into view whenever another span is selected: at a third of the height at first, then just so. */
export function useScrollToSelected(
  scroller: RefObject<HTMLDivElement | null>,
  rowWindow: RowWindow,
  rows: Int32Array,
  selected: number,
): void {
  const last = useRef<number | undefined>(undefined);
  useEffect(() => {
    const box = scroller.current;
    // Asked last, for that lays the page out.
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

import { type KeyboardEvent, type PointerEvent, type RefObject, useState } from "react";
import type { HeatMap } from "../../api/analysis.ts";
import type { RowRange } from "./draw-heat-map.ts";
import {
  type Cell,
  type Corners,
  type CountedCells,
  cellKey,
  clamp,
  cornersOf,
  middle,
  selectionOf,
} from "./heat-map-cells.ts";
import type { Selection } from "./selection.ts";

/** The inputs of {@link useHeatMapBrush}. */
interface HeatMapBrush {
  /** The element whose box the cells fill. */
  frame: RefObject<HTMLElement | null>;
  /** The map that is shown. */
  map: HeatMap;
  /** Rows that are shown. */
  rows: RowRange;
  /** The cells with spans in them. */
  cells: CountedCells;
  /** The selection of the address; undefined for none. */
  selection: Selection | undefined;
  /** Called with a new selection, or undefined to clear it. */
  onSelect: (selection: Selection | undefined) => void;
}

/**
 * Selects cells of the heat map by pointer and keyboard. Returns the corners of the rectangle to draw, the
 * cell to describe, and the listeners of the frame. Corners and cell are undefined while there are none.
 */
export function useHeatMapBrush({ frame, map, rows, cells, selection, onSelect }: HeatMapBrush) {
  const [drag, setDrag] = useState<Corners>();
  const [hover, setHover] = useState<Cell>();
  const cellAt = (event: PointerEvent) => cellUnder(event, frame.current, map, rows);
  const select = (corners: Corners) => onSelect(selectionOf(corners, map));

  function begin(event: PointerEvent<HTMLElement>) {
    if (event.button !== 0) {
      return;
    }
    event.currentTarget.setPointerCapture(event.pointerId);
    const { column, row } = cellAt(event);
    setDrag({ column, row, toColumn: column, toRow: row });
  }

  function move(event: PointerEvent) {
    const cell = cellAt(event);
    setHover(cell);
    if (drag !== undefined) {
      setDrag({ ...drag, toColumn: cell.column, toRow: cell.row });
    }
  }

  function end() {
    if (drag === undefined) {
      return;
    }
    setDrag(undefined);
    // A click selects a cell only when the cell has spans; otherwise it clears the selection.
    const one = drag.column === drag.toColumn && drag.row === drag.toRow;
    if (one && !cells.has(cellKey(drag.column, drag.row))) {
      onSelect(undefined);
    } else {
      select(drag);
    }
  }

  const selected = cornersOf(selection, map, rows);
  const handlers = {
    onPointerDown: begin,
    onPointerMove: move,
    onPointerUp: end,
    onPointerLeave: () => setHover(undefined),
    onPointerCancel: () => setDrag(undefined),
    onKeyDown: (event: KeyboardEvent) => press(event, { map, rows, selection, onSelect, drag, setDrag }),
  };
  const at = drag === undefined ? hover : { column: drag.toColumn, row: drag.toRow };
  return { shown: drag ?? selected, at, handlers };
}

/** The state that a key of the brush reads and changes. */
interface BrushState extends Pick<HeatMapBrush, "map" | "rows" | "selection" | "onSelect"> {
  /** The rectangle that the user is selecting; undefined for none. */
  drag: Corners | undefined;
  /** Changes this rectangle. */
  setDrag: (drag: Corners | undefined) => void;
}

/** Handles a key: arrows move, Shift and arrows widen, Enter selects the rectangle, Esc clears it. */
function press(event: KeyboardEvent, { map, rows, selection, onSelect, drag, setDrag }: BrushState) {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (event.key === "Escape" && (drag !== undefined || selection !== undefined)) {
    setDrag(undefined);
    onSelect(undefined);
  } else if (event.key === "Enter" && drag !== undefined) {
    onSelect(selectionOf(drag, map));
    setDrag(undefined);
  } else if (step !== undefined) {
    const [dx, dy] = step as [number, number];
    const from = drag ?? cornersOf(selection, map, rows) ?? middle(map, rows);
    const toColumn = clamp(from.toColumn + dx, map.columns - 1);
    const toRow = Math.min(rows.to, Math.max(rows.from, from.toRow + dy));
    setDrag(
      event.shiftKey ? { ...from, toColumn, toRow } : { column: toColumn, row: toRow, toColumn, toRow },
    );
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

/** The cell below the pointer, or the nearest cell; the corner cell while there is no element. */
function cellUnder(event: PointerEvent, frame: HTMLElement | null, map: HeatMap, rows: RowRange): Cell {
  const box = frame?.getBoundingClientRect();
  if (box === undefined) {
    return { column: 0, row: rows.to };
  }
  const rowCount = rows.to - rows.from + 1;
  return {
    column: clamp(Math.floor(((event.clientX - box.left) / box.width) * map.columns), map.columns - 1),
    row: rows.to - clamp(Math.floor(((event.clientY - box.top) / box.height) * rowCount), rowCount - 1),
  };
}

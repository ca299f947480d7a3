import { durationText } from "ui-kit/format/format-duration.ts";
import { clockText, type TimeZone } from "ui-kit/format/format-time.ts";
import type { HeatMap } from "../../api/analysis.ts";
import type { RowRange } from "./draw-heat-map.ts";
import { rowStartUs, type Selection } from "./selection.ts";

/** The position of a cell in the heat map. */
export interface Cell {
  /** Index of the time slice, from 0. */
  column: number;
  /** Number of the row, 0 to 63, as the server counts them. */
  row: number;
}

/** Two opposite corners of a rectangle of cells, in any order. */
export interface Corners {
  /** Column of the corner where the selection began. */
  column: number;
  /** Row of the corner where the selection began. */
  row: number;
  /** Column of the corner that moves. */
  toColumn: number;
  /** Row of the corner that moves. */
  toRow: number;
}

/** The cells with spans, by `cellKey`. An entry has column, row, spans and failed spans. */
export type CountedCells = ReadonlyMap<number, HeatMap["cells"][number]>;

/** Column and row as one number. The key relies on rows from 0 to 63. */
export function cellKey(column: number, row: number): number {
  return column * 64 + row;
}

/** Limits a number to the range from 0 to `to`. */
export function clamp(value: number, to: number): number {
  return Math.min(to, Math.max(0, value));
}

/** A cell in words, for example `12:00:05, 8.2 ms to 16.4 ms: 12 spans, 1 failed`. */
export function cellText({ column, row }: Cell, map: HeatMap, cells: CountedCells, zone: TimeZone): string {
  const [, , spans, failed] = cells.get(cellKey(column, row)) ?? [column, row, 0, 0];
  const time = clockText(map.start + column * map.columnWidth, zone).slice(0, 8);
  const durations = `${durationText(rowStartUs(row))} to ${durationText(rowStartUs(row + 1))}`;
  return `${time}, ${durations}: ${spans} spans${failed > 0 ? `, ${failed} failed` : ""}`;
}

/** Converts the rectangle between two corners to a time range and rows. */
export function selectionOf({ column, row, toColumn, toRow }: Corners, map: HeatMap): Selection {
  return {
    startUs: Math.round(map.start + Math.min(column, toColumn) * map.columnWidth),
    endUs: Math.round(map.start + (Math.max(column, toColumn) + 1) * map.columnWidth),
    fromRow: Math.min(row, toRow),
    toRow: Math.max(row, toRow),
  };
}

/**
 * Converts a selection to cells of this map; undefined for a selection outside. Another map of the same spans has
 * other columns, so the edges of the selection are rounded to columns.
 */
export function cornersOf(
  selection: Selection | undefined,
  map: HeatMap,
  rows: RowRange,
): Corners | undefined {
  if (selection === undefined || selection.endUs <= map.start || selection.startUs >= map.end) {
    return undefined;
  }
  const column = (us: number) => (us - map.start) / map.columnWidth;
  const first = Math.max(0, Math.round(column(selection.startUs)));
  return {
    column: first,
    toColumn: Math.max(first, Math.min(map.columns, Math.round(column(selection.endUs))) - 1),
    row: Math.max(rows.from, selection.fromRow),
    toRow: Math.max(rows.from, Math.min(rows.to, selection.toRow)),
  };
}

/** The cell where the keyboard begins: a cell with spans if the map has any. */
export function middle(map: HeatMap, rows: RowRange): Corners {
  const [column, row] = map.cells[map.cells.length >> 1] ?? [map.columns >> 1, (rows.from + rows.to) >> 1];
  return { column, row, toColumn: column, toRow: row };
}

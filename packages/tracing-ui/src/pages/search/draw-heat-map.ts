import type { HeatMap } from "../../api/analysis.ts";

/** Colours in a form that the canvas accepts. */
export interface HeatMapColours {
  /** Colour of cells; more spans give a higher opacity. */
  spans: string;
  /** Colour of the failed part of a cell. */
  error: string;
}

/** Range of shown rows. Each row is a power of two of nanoseconds. */
export interface RowRange {
  /** The lowest row. */
  from: number;
  /** The highest row, inclusive. */
  to: number;
}

/** Minimum number of shown rows. With one or two rows, a few similar durations would fill the whole picture. */
const leastRows = 8;

/** The rows that have spans, and one row above; at least `leastRows`. Without spans: 16 µs to 2 s. */
export function rowRange(map: HeatMap): RowRange {
  let from = 63;
  let to = 0;
  for (const [, row] of map.cells) {
    from = Math.min(from, row);
    to = Math.max(to, row);
  }
  if (from > to) {
    return { from: 14, to: 30 };
  }
  const missing = Math.max(0, leastRows - (to - from + 1));
  from = Math.max(0, from - Math.floor(missing / 2));
  return { from, to: Math.min(63, Math.max(to + 1, from + leastRows - 1)) };
}

/** Opacity of a cell, 0 to 1. The scale is logarithmic, so that a few slow spans show beside many quick spans. */
export function cellStrength(spans: number, most: number): number {
  return most <= 1 ? 0.6 : 0.16 + 0.84 * (Math.log(spans) / Math.log(most));
}

/** Minimum opacity of a cell whose spans all failed, so that a single failure is visible. */
const leastFailedStrength = 0.6;

/** Rows, colours and size of a drawn heat map. */
interface HeatMapLook {
  /** Rows from bottom to top. */
  readonly rows: RowRange;
  /** Colours of the theme, in a form that the canvas accepts. */
  readonly colours: HeatMapColours;
  /** Width and height of the canvas in CSS pixels. */
  readonly size: { width: number; height: number };
}

/**
 * Draws cells with opacity by count. The failed share of a cell is a red bar along its lower edge; a cell whose spans
 * all failed is entirely red. Drawn in device pixels, so that cells are sharp. Cost: at most two rectangles per cell.
 */
export function drawHeatMap(
  canvas: HTMLCanvasElement,
  map: HeatMap,
  { rows, colours, size }: HeatMapLook,
): void {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(size.width * scale);
  canvas.height = Math.round(size.height * scale);
  const context = canvas.getContext("2d");
  if (context === null) {
    return;
  }
  const most = map.cells.reduce((max, [, , spans]) => Math.max(max, spans), 1);
  const cellWidth = canvas.width / map.columns;
  const cellHeight = canvas.height / (rows.to - rows.from + 1);
  const gap = cellWidth > 5 * scale ? scale : 0;
  for (const [column, row, spans, errors] of map.cells) {
    const left = Math.round(column * cellWidth);
    const top = Math.round((rows.to - row) * cellHeight);
    const width = Math.max(1, Math.round((column + 1) * cellWidth) - left - gap);
    const height = Math.max(1, Math.round((rows.to - row + 1) * cellHeight) - top - gap);
    const strength = cellStrength(spans, most);
    const allFailed = errors >= spans;
    context.globalAlpha = allFailed ? Math.max(strength, leastFailedStrength) : strength;
    context.fillStyle = allFailed ? colours.error : colours.spans;
    context.fillRect(left, top, width, height);
    if (errors === 0 || allFailed) {
      continue;
    }
    context.globalAlpha = 1;
    context.fillStyle = colours.error;
    const failed = Math.max(Math.min(2 * scale, width), Math.round((width * errors) / spans));
    const thickness = Math.max(2 * scale, Math.round(height * 0.4));
    context.fillRect(left, top + height - thickness, failed, thickness);
  }
  context.globalAlpha = 1;
}

import "./heat-map.css";
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import { useElementSize } from "ui-kit/components/use-element-size.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { durationText, formatDuration } from "ui-kit/format/format-duration.ts";
import { clockText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { useTheme } from "ui-kit/theme/use-theme.ts";
import type { HeatMap } from "../../api/analysis.ts";
import { canvasColours } from "../../components/canvas-colours.ts";
import { tickText } from "../../trace/time-ticks.ts";
import { drawHeatMap, rowRange } from "./draw-heat-map.ts";
import { rowStartUs, type Selection } from "./selection.ts";
import { TimeAxis } from "./time-axis.tsx";

/** Two corners of a stretch of cells, in any order. */
interface Corners {
  /** Column of the corner where the selection began. */
  column: number;
  /** Row of that corner. */
  row: number;
  /** Column of the corner that moves. */
  toColumn: number;
  /** Row of the corner that moves. */
  toRow: number;
}

/** The inputs of {@link HeatMapChart}. */
interface HeatMapChartProps {
  /** The counted cells. */
  map: HeatMap;
  /** The selection of the address; undefined for none. */
  selection: Selection | undefined;
  /** Called with a new selection, or undefined to clear it. */
  onSelect: (selection: Selection | undefined) => void;
}

/**
 * Spans by start and duration. A drag selects a stretch; a click on a cell with spans selects the cell, one
 * elsewhere clears. The cell below the pointer is described in a line.
 *
 * Keys: arrows move a cell, with Shift they widen the selection, Enter takes it, Esc gives it up.
 */
export function HeatMapChart(props: HeatMapChartProps) {
  const { map, selection, onSelect } = props;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = useElementSize(frame);
  const theme = useTheme();
  const zone = useChoice(zoneChoice);
  const rows = useMemo(() => rowRange(map), [map]);
  const rowCount = rows.to - rows.from + 1;
  const [drag, setDrag] = useState<Corners>();
  const [hover, setHover] = useState<{ column: number; row: number }>();
  // Rows are 0 to 63, so column and row fit in one number.
  const cells = useMemo(() => new Map(map.cells.map((cell) => [cell[0] * 64 + cell[1], cell])), [map]);

  useEffect(() => {
    if (canvas.current === null || width === 0 || theme === undefined) {
      return;
    }
    const colours = canvasColours(canvas.current, { spans: "var(--accent)", error: "var(--error-bar)" });
    drawHeatMap(canvas.current, map, { rows, colours, size: { width, height } });
  }, [map, rows, theme, width, height]);

  const clamp = (value: number, to: number) => Math.min(to, Math.max(0, value));
  const cellAt = (event: PointerEvent) => {
    const box = frame.current?.getBoundingClientRect();
    if (box === undefined) {
      return { column: 0, row: rows.to };
    }
    return {
      column: clamp(Math.floor(((event.clientX - box.left) / box.width) * map.columns), map.columns - 1),
      row: rows.to - clamp(Math.floor(((event.clientY - box.top) / box.height) * rowCount), rowCount - 1),
    };
  };
  const select = ({ column, row, toColumn, toRow }: Corners) =>
    onSelect({
      startUs: Math.round(map.start + Math.min(column, toColumn) * map.columnWidth),
      endUs: Math.round(map.start + (Math.max(column, toColumn) + 1) * map.columnWidth),
      fromRow: Math.min(row, toRow),
      toRow: Math.max(row, toRow),
    });

  function begin(event: PointerEvent<HTMLDivElement>) {
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
    // A click on one cell takes it only when there is something in it: otherwise it clears.
    const one = drag.column === drag.toColumn && drag.row === drag.toRow;
    if (one && !cells.has(drag.column * 64 + drag.row)) {
      onSelect(undefined);
    } else {
      select(drag);
    }
  }

  function onKey(event: KeyboardEvent) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (event.key === "Escape" && (drag !== undefined || selection !== undefined)) {
      setDrag(undefined);
      onSelect(undefined);
    } else if (event.key === "Enter" && drag !== undefined) {
      select(drag);
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

  const shown = drag ?? cornersOf(selection, map, rows);
  const percent = (part: number, whole: number) => `${(100 * part) / whole}%`;
  const at = drag === undefined ? hover : { column: drag.toColumn, row: drag.toRow };
  const here = at === undefined ? undefined : cells.get(at.column * 64 + at.row);
  const described =
    at === undefined
      ? ""
      : `${clockText(map.start + at.column * map.columnWidth, zone).slice(0, 8)}, ${durationText(rowStartUs(at.row))} to ${durationText(rowStartUs(at.row + 1))}: ${here?.[2] ?? 0} spans${here !== undefined && here[3] > 0 ? `, ${here[3]} failed` : ""}`;

  return (
    <div className="heat-map">
      <ul className="heat-map-rows" aria-hidden="true">
        {rowLabels(rows).map(({ row, text }) => (
          <li key={text} style={{ bottom: percent(row - rows.from, rowCount) }}>
            {text}
          </li>
        ))}
      </ul>
      <div
        className="heat-map-frame"
        ref={frame}
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move in it
        tabIndex={0}
        data-heat-map
        aria-label={`Heat map of ${formatCount(map.spans)} spans, ${formatCount(map.errors)} failed, by start and duration. Arrows move, Shift and arrows select, Enter takes the selection.`}
        aria-describedby="heat-map-here"
        onPointerDown={begin}
        onPointerMove={move}
        onPointerUp={end}
        onPointerLeave={() => setHover(undefined)}
        onPointerCancel={() => setDrag(undefined)}
        onKeyDown={onKey}
      >
        <canvas ref={canvas} />
        {shown !== undefined && (
          <div
            className="heat-map-brush"
            style={{
              left: percent(Math.min(shown.column, shown.toColumn), map.columns),
              width: percent(Math.abs(shown.toColumn - shown.column) + 1, map.columns),
              top: percent(rows.to - Math.max(shown.row, shown.toRow), rowCount),
              height: percent(Math.abs(shown.toRow - shown.row) + 1, rowCount),
            }}
          />
        )}
      </div>
      <TimeAxis startUs={map.start} endUs={map.end} />
      <p id="heat-map-here" className="heat-map-here mono" aria-live="polite">
        {described}
      </p>
    </div>
  );
}

/** The cell where the keyboard begins: one with spans where there is any. */
function middle(map: HeatMap, rows: { from: number; to: number }): Corners {
  const [column, row] = map.cells[map.cells.length >> 1] ?? [map.columns >> 1, (rows.from + rows.to) >> 1];
  return { column, row, toColumn: column, toRow: row };
}

/**
 * The cells of a selection in this map; undefined when it lies outside. Another map of the same spans has
 * other columns, so the edges are rounded to them.
 */
function cornersOf(
  selection: Selection | undefined,
  map: HeatMap,
  rows: { from: number; to: number },
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

/** Powers of ten of microseconds, each at the height where it lies between powers of two. */
function rowLabels(rows: { from: number; to: number }): { row: number; text: string }[] {
  const labels: { row: number; text: string }[] = [];
  for (let us = 1; us <= 1e10; us *= 10) {
    const row = Math.log2(us * 1_000);
    if (row >= rows.from && row <= rows.to + 0.7) {
      labels.push({ row, text: tickText(us, formatDuration(us)) });
    }
  }
  return labels;
}

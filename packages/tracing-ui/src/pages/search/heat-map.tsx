import "./heat-map.css";
import { useEffect, useMemo, useRef } from "react";
import { useElementSize } from "ui-kit/components/use-element-size.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { formatDuration } from "ui-kit/format/format-duration.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { useTheme } from "ui-kit/theme/use-theme.ts";
import type { HeatMap } from "../../api/analysis.ts";
import { canvasColours } from "../../components/canvas-colours.ts";
import { tickText } from "../../trace/time-ticks.ts";
import { drawHeatMap, type RowRange, rowRange } from "./draw-heat-map.ts";
import { type Corners, cellKey, cellText } from "./heat-map-cells.ts";
import type { Selection } from "./selection.ts";
import { TimeAxis } from "./time-axis.tsx";
import { useHeatMapBrush } from "./use-heat-map-brush.ts";

interface HeatMapChartProps {
  /** The counted cells. */
  map: HeatMap;
  /** The selection of the address; undefined for none. */
  selection: Selection | undefined;
  /** Called with a new selection, or undefined to clear it. */
  onSelect: (selection: Selection | undefined) => void;
}

/**
 * Spans by start and duration. A drag selects a rectangle. A click on a cell with spans selects the cell; a click
 * elsewhere clears the selection. A line describes the cell below the pointer.
 *
 * Keys: arrows move by a cell, Shift and arrows widen the selection, Enter confirms it, Esc clears it.
 */
export function HeatMapChart(props: HeatMapChartProps) {
  const { map, selection, onSelect } = props;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = useElementSize(frame);
  const theme = useTheme();
  const zone = useChoice(zoneChoice);
  const rows = useMemo(() => rowRange(map), [map]);
  const cells = useMemo(() => new Map(map.cells.map((cell) => [cellKey(cell[0], cell[1]), cell])), [map]);
  const { shown, at, handlers } = useHeatMapBrush({ frame, map, rows, cells, selection, onSelect });

  useEffect(() => {
    if (canvas.current === null || width === 0 || theme === undefined) {
      return;
    }
    const colours = canvasColours(canvas.current, { spans: "var(--accent)", error: "var(--error-bar)" });
    drawHeatMap(canvas.current, map, { rows, colours, size: { width, height } });
  }, [map, rows, theme, width, height]);

  return (
    <div className="heat-map">
      <RowLabels rows={rows} />
      <div
        className="heat-map-frame"
        ref={frame}
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move in it
        tabIndex={0}
        data-heat-map
        aria-label={`Heat map of ${formatCount(map.spans)} spans, ${formatCount(map.errors)} failed, by start and duration. Arrows move, Shift and arrows select, Enter takes the selection.`}
        aria-describedby="heat-map-here"
        {...handlers}
      >
        <canvas ref={canvas} />
        {shown !== undefined && <Brush {...{ shown, rows }} columns={map.columns} />}
      </div>
      <TimeAxis startUs={map.start} endUs={map.end} />
      <p id="heat-map-here" className="heat-map-here mono" aria-live="polite">
        {at === undefined ? "" : cellText(at, map, cells, zone)}
      </p>
    </div>
  );
}

/** A share as a CSS percentage: 1 of 4 is `25%`. */
function percent(part: number, whole: number): string {
  return `${(100 * part) / whole}%`;
}

/** The labels of durations, left of the map. */
function RowLabels({ rows }: { rows: RowRange }) {
  return (
    <ul className="heat-map-rows" aria-hidden="true">
      {rowLabels(rows).map(({ row, text }) => (
        <li key={text} style={{ bottom: percent(row - rows.from, rows.to - rows.from + 1) }}>
          {text}
        </li>
      ))}
    </ul>
  );
}

/** The inputs of {@link Brush}. */
interface BrushProps {
  /** The corners of the selected rectangle. */
  shown: Corners;
  /** Rows of the map. */
  rows: RowRange;
  /** Number of columns of the map. */
  columns: number;
}

/** The frame around the selected rectangle. */
function Brush({ shown, rows, columns }: BrushProps) {
  const rowCount = rows.to - rows.from + 1;
  return (
    <div
      className="heat-map-brush"
      style={{
        left: percent(Math.min(shown.column, shown.toColumn), columns),
        width: percent(Math.abs(shown.toColumn - shown.column) + 1, columns),
        top: percent(rows.to - Math.max(shown.row, shown.toRow), rowCount),
        height: percent(Math.abs(shown.toRow - shown.row) + 1, rowCount),
      }}
    />
  );
}

/** Labels for powers of ten of microseconds. Each has a fractional row, because rows are powers of two. */
function rowLabels(rows: RowRange): { row: number; text: string }[] {
  const labels: { row: number; text: string }[] = [];
  for (let us = 1; us <= 1e10; us *= 10) {
    const row = Math.log2(us * 1_000);
    if (row >= rows.from && row <= rows.to + 0.7) {
      labels.push({ row, text: tickText(us, formatDuration(us)) });
    }
  }
  return labels;
}

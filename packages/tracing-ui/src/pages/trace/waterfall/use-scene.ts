import { useMemo } from "react";
import { axisTicks } from "../../../trace/axis-ticks.ts";
import { RowWindow } from "../../../trace/row-window.ts";
import { rowOf } from "../../../trace/visible-rows.ts";
import { WATERFALL_ROW_PX } from "./waterfall-rows.ts";
import type { WaterfallScene } from "./waterfall-scene.ts";

/** Assumed height of a panel of details before its measurement, in pixels. */
const panelGuessPx = 320;
/** Width in pixels right of the time range, for labels of bars that end at its right edge. */
const labelRoomPx = 76;
/** Additional width in pixels for percentiles, if they are known. */
const rankRoomPx = 44;

/** The inputs of a scene that come from the page. */
type Shown = Pick<WaterfallScene, "trace" | "view" | "rows" | "filter" | "path" | "peers" | "notes" | "gaps">;

/** The sizes that a scene is made for. */
interface Sizes {
  /** Width of the whole waterfall in pixels. */
  width: number;
  /** Width of the column of names in pixels. */
  nameWidth: number;
  /** Measured heights of the panels of details, by span. */
  panelHeights: ReadonlyMap<number, number>;
}

/** A panel of details that is open. */
export interface OpenPanel {
  /** The row above the panel. */
  row: number;
  /** The span of the panel. */
  span: number;
}

/**
 * The scene of the waterfall. It is memoised, because each new scene is drawn. `panels`
 * are the open details whose row is shown. `room` is the width in pixels right of the visible time.
 */
export function useScene(shown: Shown, { width, nameWidth, panelHeights }: Sizes) {
  const { trace, view, filter, rows, path, peers, notes, gaps } = shown;
  const panels = useMemo<OpenPanel[]>(
    () => [...view.open].map((span) => ({ row: rowOf(rows, span), span })).filter(({ row }) => row !== -1),
    [rows, view.open],
  );
  const rowWindow = useMemo(
    () =>
      new RowWindow(
        rows.length,
        WATERFALL_ROW_PX,
        panels.map(({ row, span }) => ({ row, height: panelHeights.get(span) ?? panelGuessPx })),
      ),
    [rows, panels, panelHeights],
  );
  const room = labelRoomPx + (peers.size > 0 ? rankRoomPx : 0);
  const laneWidth = Math.max(1, width - nameWidth - room);
  const ticks = useMemo(
    () => axisTicks(view.range, Math.max(2, Math.floor(laneWidth / 130)), gaps),
    [view.range, laneWidth, gaps],
  );
  const scene = useMemo<WaterfallScene>(
    () => ({
      ...{ trace, view, rows, rowWindow, filter, path, peers, notes, gaps, ticks },
      ...{ nameWidth, laneWidth, width },
    }),
    [trace, view, rows, rowWindow, filter, path, peers, notes, gaps, ticks, nameWidth, laneWidth, width],
  );
  return { panels, scene, room };
}

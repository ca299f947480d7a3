import { wholeRange } from "../pages/trace/trace-view.ts";
import { WATERFALL_ROW_PX } from "../pages/trace/waterfall/waterfall-rows.ts";
import type { WaterfallScene } from "../pages/trace/waterfall/waterfall-scene.ts";
import { criticalPath } from "../trace/critical-path.ts";
import { filterSpans } from "../trace/filter-spans.ts";
import { RowWindow } from "../trace/row-window.ts";
import type { Trace } from "../trace/trace.ts";
import { visibleRows } from "../trace/visible-rows.ts";

/** A scene for tests: the names are 300 pixels wide, the visible time 500, and the labels 100. */
export function sceneOf(
  trace: Trace,
  { view, ...rest }: Partial<Omit<WaterfallScene, "view">> & { view?: Partial<WaterfallScene["view"]> } = {},
): WaterfallScene {
  const whole: WaterfallScene["view"] = {
    ...{
      selected: -1,
      open: new Set(),
      folded: new Set(),
      foldRule: undefined,
      openRuns: new Set(),
      filter: "",
      dims: false,
    },
    range: wholeRange(trace),
    ...view,
  };
  const filter = filterSpans(trace, whole.filter);
  const rows = visibleRows(trace, whole.folded, whole.dims ? undefined : filter?.shown, whole.openRuns);
  return {
    ...{
      trace,
      view: whole,
      rows,
      filter,
      path: criticalPath(trace),
      peers: new Map(),
      notes: new Map(),
      gaps: [],
      ticks: [],
    },
    ...{ rowWindow: new RowWindow(rows.length, WATERFALL_ROW_PX, []) },
    ...{ nameWidth: 300, laneWidth: 500, width: 900 },
    ...rest,
  };
}

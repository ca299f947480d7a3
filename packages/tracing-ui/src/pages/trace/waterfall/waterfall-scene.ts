import type { TraceNote } from "../../../api/notes.ts";
import type { SpanPeers } from "../../../api/trace-peers.ts";
import type { AxisTick } from "../../../trace/axis-ticks.ts";
import type { CriticalPath } from "../../../trace/critical-path.ts";
import type { SpanFilter } from "../../../trace/filter-spans.ts";
import type { IdleGap } from "../../../trace/idle-gaps.ts";
import type { RowWindow } from "../../../trace/row-window.ts";
import { type SiblingRun, siblingRuns } from "../../../trace/sibling-runs.ts";
import type { Trace } from "../../../trace/trace.ts";
import { spanKey } from "../notes/notes-by-span.ts";
import type { TraceView } from "../trace-view.ts";

/**
 * All data for drawing the waterfall, except colours and scroll position. The trace's columns
 * are typed arrays; drawing reads only the entries of visible rows.
 */
export interface WaterfallScene {
  /** The trace as it is drawn, with idle gaps folded or not. */
  trace: Trace;
  /** Selection, folding and visible time. */
  view: TraceView;
  /** Shown spans, top to bottom. */
  rows: Int32Array;
  /** Vertical positions of the rows. */
  rowWindow: RowWindow;
  /** The result of the filter; undefined without one. */
  filter: SpanFilter | undefined;
  /** The critical path; without sections while it is not computed. */
  path: CriticalPath;
  /** Percentile ranks by span id; empty when the store does not know them. */
  peers: ReadonlyMap<string, SpanPeers>;
  /** Notes by span id, as `notesBySpan` returns them. */
  notes: ReadonlyMap<string, readonly TraceNote[]>;
  /** Idle gaps that are folded in this trace. */
  gaps: readonly IdleGap[];
  /** Points of the time scale. */
  ticks: readonly AxisTick[];
  /** Width of the column of names in pixels. */
  nameWidth: number;
  /** Width of the visible time in pixels. The room right of it is for labels and percentiles. */
  laneWidth: number;
  /** Width of the whole waterfall in pixels. */
  width: number;
}

const noNotes: readonly TraceNote[] = [];

/**
 * The run of similar siblings that begins with the span. Also undefined while a filter hides spans: the list then shows
 * single matches.
 */
export function runFrom({ trace, filter, view }: WaterfallScene, span: number): SiblingRun | undefined {
  return filter === undefined || view.dims ? siblingRuns(trace).byHead.get(span) : undefined;
}

/** The folded run of similar siblings that the row shows; undefined for the row of a single span. */
export function foldedRunFrom(scene: WaterfallScene, span: number): SiblingRun | undefined {
  return scene.view.openRuns.has(span) ? undefined : runFrom(scene, span);
}

/** True when the row does not match the filter: it is shown for a match below it, or because other spans are dimmed. */
export function isDimmed(scene: WaterfallScene, span: number): boolean {
  const { filter } = scene;
  if (filter === undefined) {
    return false;
  }
  const run = foldedRunFrom(scene, span);
  if (run !== undefined) {
    return !filter.matches.subarray(span, run.end).includes(1);
  }
  return filter.matches[span] === 0;
}

/** Percentile rank of the span among its peers. */
export function peersOf({ trace, peers }: WaterfallScene, span: number): SpanPeers | undefined {
  return peers.size === 0 ? undefined : peers.get(trace.spans[span]?.spanID ?? "");
}

export function notesOf({ trace, notes }: WaterfallScene, span: number): readonly TraceNote[] {
  return (notes.size > 0 && notes.get(spanKey(trace.spans[span]?.spanID ?? ""))) || noNotes;
}

export function serviceOf({ trace }: WaterfallScene, span: number): string {
  return trace.services[trace.service[span] as number] ?? "";
}

export function operationOf({ trace }: WaterfallScene, span: number): string {
  return trace.spans[span]?.operationName ?? "";
}

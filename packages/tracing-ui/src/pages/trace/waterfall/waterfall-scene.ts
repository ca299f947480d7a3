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
 * All that a picture of the waterfall is made from, besides colours and where it is scrolled to. The trace's columns
 * are typed arrays; pictures read those of the rows in view.
 */
export interface WaterfallScene {
  /** The trace as it is drawn, with idle gaps folded or not. */
  trace: Trace;
  /** Selection, folding and visible time. */
  view: TraceView;
  /** Spans shown, top to bottom. */
  rows: Int32Array;
  /** Where the rows lie. */
  rowWindow: RowWindow;
  /** The result of the filter; undefined without one. */
  filter: SpanFilter | undefined;
  /** The critical path; without sections while it is not computed. */
  path: CriticalPath;
  /** By span id; empty where the store does not know. */
  peers: ReadonlyMap<string, SpanPeers>;
  /** By span id, as `notesBySpan` gives them. */
  notes: ReadonlyMap<string, readonly TraceNote[]>;
  /** Idle gaps that are folded in this trace. */
  gaps: readonly IdleGap[];
  /** Points of the time scale. */
  ticks: readonly AxisTick[];
  /** Pixels, of the column of names. */
  nameWidth: number;
  /** Pixels, of the time in view; right of it is room for labels and percentiles. */
  laneWidth: number;
  /** Pixels, of all. */
  width: number;
}

const noNotes: readonly TraceNote[] = [];

/** The run of like siblings that begins with the span. Undefined also while a filter hides spans: a filter seeks single spans. */
export function runFrom({ trace, filter, view }: WaterfallScene, span: number): SiblingRun | undefined {
  return filter === undefined || view.dims ? siblingRuns(trace).byHead.get(span) : undefined;
}

/** The run of like siblings that the row stands for; undefined for the row of a single span. */
export function foldedRunFrom(scene: WaterfallScene, span: number): SiblingRun | undefined {
  return scene.view.openRuns.has(span) ? undefined : runFrom(scene, span);
}

/** Whether the row is only there to lead to a span that the filter matched, or to keep its place. */
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

/** Where the span stands among its peers. */
export function peersOf({ trace, peers }: WaterfallScene, span: number): SpanPeers | undefined {
  return peers.size === 0 ? undefined : peers.get(trace.spans[span]?.spanID ?? "");
}

/** The notes that people wrote on the span. */
export function notesOf({ trace, notes }: WaterfallScene, span: number): readonly TraceNote[] {
  return (notes.size > 0 && notes.get(spanKey(trace.spans[span]?.spanID ?? ""))) || noNotes;
}

/** Name of the span's service. */
export function serviceOf({ trace }: WaterfallScene, span: number): string {
  return trace.services[trace.service[span] as number] ?? "";
}

/** Name of the span's operation. */
export function operationOf({ trace }: WaterfallScene, span: number): string {
  return trace.spans[span]?.operationName ?? "";
}

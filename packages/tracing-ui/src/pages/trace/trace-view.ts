import { serviceFilterText } from "../../links/service-filter.ts";
import { isFilter, nextMatch, type SpanFilter } from "../../trace/filter-spans.ts";
import { type FoldRule, foldedBy, foldRuleText, parseFoldRule } from "../../trace/fold-rules.ts";
import { runOf, siblingRuns } from "../../trace/sibling-runs.ts";
import { spanFlag, type Trace } from "../../trace/trace.ts";
import { rowOf } from "../../trace/visible-rows.ts";
import type { TraceAddress } from "./trace-address.ts";

/** A time range, in microseconds after the trace's start; at least 1 µs long. */
export interface TimeRange {
  /** Start of the range. */
  fromUs: number;
  /** End of the range. */
  toUs: number;
}

/** The view state of a trace. Spans are indices into the trace. */
export interface TraceView {
  /** The selected span; −1 for none. */
  selected: number;
  /** Spans whose details are open. */
  open: ReadonlySet<number>;
  /** Spans whose descendants are hidden. */
  folded: ReadonlySet<number>;
  /** The rule that produced `folded`; undefined once a single span was folded or unfolded. */
  foldRule: FoldRule | undefined;
  /** First spans of the unfolded runs of similar siblings. */
  openRuns: ReadonlySet<number>;
  /** Text of the filter, as typed. */
  filter: string;
  /** True when spans that do not match the filter are dimmed instead of hidden. */
  dims: boolean;
  /** The time range that the waterfall shows. */
  range: TimeRange;
}

/**
 * An action of the user on the view. `rows` are the shown spans, from visibleRows.
 * - `select`: selects a span and unfolds the spans that hide it
 * - `move`: moves the selection by rows, up or down
 * - `foldOrParent`, `unfoldOrChild`: the keys left and right
 * - `toggleFold`, `toggleRun`: folds or unfolds one span, or one run of similar siblings
 * - `foldAll`, `unfoldAll`, `foldBy`: folds many spans at once
 * - `toggleOpen`: opens or closes the details of a span
 * - `nextError`, `nextMatch`: selects the next or previous error or match, wrapping around at the ends
 * - `filter`, `dim`: changes the filter text, or switches between dimming and hiding other spans
 * - `zoom`, `zoomBy`, `pan`, `zoomOut`: changes the visible time
 * - `escape`: clears the filter; when there is none, the selection
 * - `restore`: replaces the whole view after the address changed
 */
export type ViewAction =
  | { type: "select"; span: number }
  | { type: "move"; by: number; rows: Int32Array }
  | { type: "foldOrParent" }
  | { type: "unfoldOrChild" }
  | { type: "toggleFold"; span: number }
  | { type: "toggleRun"; span: number }
  | { type: "foldAll" }
  | { type: "unfoldAll" }
  | { type: "foldBy"; rule: FoldRule }
  | { type: "toggleOpen"; span: number }
  | { type: "nextError"; by: 1 | -1 }
  | { type: "nextMatch"; by: 1 | -1; filter: SpanFilter }
  | { type: "filter"; text: string }
  | { type: "dim"; on: boolean }
  | { type: "zoom"; range: TimeRange }
  | { type: "zoomBy"; factor: number; centreUs?: number }
  | { type: "pan"; by: number }
  | { type: "zoomOut" }
  | { type: "escape" }
  | { type: "restore"; view: TraceView };

/** Minimum length of the visible range, in microseconds. */
const shortestRangeUs = 1;
/**
 * Maximum number of span ids in each list of an address: open, folded, runs. Longer lists make the address too long
 * to send.
 */
const mostIds = 40;

/**
 * The view after an action. A selection that changes nothing returns the same object, so that React renders nothing.
 */
export function reduceView(trace: Trace, view: TraceView, action: ViewAction): TraceView {
  const { selected } = view;
  switch (action.type) {
    case "select":
      return reveal(trace, view, action.span);
    case "move":
      return moved(trace, view, action.by, action.rows);
    case "foldOrParent":
      return selected === -1 ? view : foldOrParent(trace, view);
    case "unfoldOrChild":
      return selected === -1 ? view : unfoldOrChild(trace, view);
    case "toggleFold":
      return hasChildren(trace, action.span) ? fold(view, action.span, !view.folded.has(action.span)) : view;
    case "toggleRun":
      return toggleRun(trace, view, action.span);
    case "foldAll":
      return { ...view, folded: allParents(trace), foldRule: undefined, openRuns: new Set() };
    case "unfoldAll":
      return { ...view, folded: new Set(), foldRule: undefined, openRuns: allRuns(trace) };
    case "foldBy":
      return { ...view, folded: foldedBy(trace, action.rule), foldRule: action.rule };
    case "toggleOpen":
      return toggleOpen(trace, view, action.span);
    case "nextError":
      return reveal(trace, view, nextError(trace, selected, action.by), selected);
    case "nextMatch":
      return reveal(trace, view, nextMatch(action.filter, selected, action.by), selected);
    case "filter":
      return { ...view, filter: action.text };
    case "dim":
      return { ...view, dims: action.on };
    case "zoom":
      return { ...view, range: withinTrace(trace, action.range) };
    case "zoomBy":
      return { ...view, range: zoomed(trace, view, action) };
    case "pan":
      return { ...view, range: panned(trace, view.range, action.by) };
    case "zoomOut":
      return { ...view, range: wholeRange(trace) };
    case "restore":
      return action.view;
    case "escape":
      return view.filter === "" ? { ...view, selected: -1 } : { ...view, filter: "" };
  }
}

/**
 * Selects the row `by` rows further, but not beyond the first or last row. Without a selection, selects the first
 * row.
 */
function moved(trace: Trace, view: TraceView, by: number, rows: Int32Array): TraceView {
  const row = rowOf(rows, view.selected);
  const next = row === -1 ? 0 : Math.max(0, Math.min(rows.length - 1, row + by));
  return select(trace, view, rows[next] ?? -1);
}

/** Folds the selected span. If the span is folded or childless, folds its run; without a run, selects the parent. */
function foldOrParent(trace: Trace, view: TraceView): TraceView {
  const { selected } = view;
  if (!isFoldedRun(trace, view, selected)) {
    if (hasChildren(trace, selected) && !view.folded.has(selected)) {
      return fold(view, selected, true);
    }
    if (runOf(siblingRuns(trace), selected) !== undefined) {
      return toggleRun(trace, view, selected);
    }
  }
  return select(trace, view, Math.max(trace.parent[selected] as number, -1), selected);
}

/** Unfolds the selected run or span. If it is unfolded already, selects the first child. */
function unfoldOrChild(trace: Trace, view: TraceView): TraceView {
  const { selected } = view;
  if (isFoldedRun(trace, view, selected)) {
    return toggleRun(trace, view, selected);
  }
  if (!hasChildren(trace, selected)) {
    return view;
  }
  return view.folded.has(selected) ? fold(view, selected, false) : select(trace, view, selected + 1);
}

/** Opens or closes the details of a span, and selects the span. A folded run is unfolded instead. */
function toggleOpen(trace: Trace, view: TraceView, span: number): TraceView {
  if (isFoldedRun(trace, view, span)) {
    return toggleRun(trace, view, span);
  }
  const open = new Set(view.open);
  if (!open.delete(span)) {
    open.add(span);
  }
  return { ...view, open, selected: span };
}

/** The whole time of the trace; 1 µs for a trace without duration, so that positions can be divided by it. */
export function wholeRange(trace: Trace): TimeRange {
  return { fromUs: 0, toUs: Math.max(trace.durationUs, shortestRangeUs) };
}

/** True when the whole time of the trace is visible. */
export function isWhole(trace: Trace, { fromUs, toUs }: TimeRange): boolean {
  return fromUs <= 0 && toUs >= wholeRange(trace).toUs;
}

export function hasChildren(trace: Trace, span: number): boolean {
  return (trace.subtreeEnd[span] as number) > span + 1;
}

/** Selects a span and unfolds the spans that hide it. @param otherwise span selected when `span` is −1 */
function select(trace: Trace, view: TraceView, span: number, otherwise = -1): TraceView {
  if (span === -1) {
    return otherwise === view.selected ? view : { ...view, selected: otherwise };
  }
  const runs = siblingRuns(trace);
  const unfold = new Set<number>();
  const open = new Set<number>();
  for (let up = span; up !== -1; up = trace.parent[up] as number) {
    if (up !== span && view.folded.has(up)) {
      unfold.add(up);
    }
    const head = runs.headOf[up] as number;
    // The head of a folded run is visible already, as the row of the run.
    if (head !== -1 && !(up === span && up === head) && !view.openRuns.has(head)) {
      open.add(head);
    }
  }
  if (span === view.selected && unfold.size === 0 && open.size === 0) {
    return view;
  }
  return {
    ...view,
    selected: span,
    ...(unfold.size === 0
      ? {}
      : { folded: new Set([...view.folded].filter((one) => !unfold.has(one))), foldRule: undefined }),
    openRuns: open.size === 0 ? view.openRuns : new Set([...view.openRuns, ...open]),
  };
}

/** Selects a span that the user asked for. If the span is the head of a folded run, the run is unfolded. */
function reveal(trace: Trace, view: TraceView, span: number, otherwise = -1): TraceView {
  const selected = select(trace, view, span, otherwise);
  return span !== -1 && isFoldedRun(trace, selected, span) ? toggleRun(trace, selected, span) : selected;
}

/** True when the row of the span shows a folded run of similar siblings, of which the span is the first. */
export function isFoldedRun(trace: Trace, view: TraceView, span: number): boolean {
  if (!view.dims && isFilter(view.filter)) {
    return false;
  }
  return siblingRuns(trace).headOf[span] === span && !view.openRuns.has(span);
}

/** Folds or unfolds the run of the span, and selects the run's head. */
function toggleRun(trace: Trace, view: TraceView, span: number): TraceView {
  const run = runOf(siblingRuns(trace), span);
  if (run === undefined) {
    return view;
  }
  const openRuns = new Set(view.openRuns);
  if (!openRuns.delete(run.head)) {
    openRuns.add(run.head);
  }
  return { ...view, openRuns, selected: run.head };
}

/** The heads of all runs of similar siblings. */
function allRuns(trace: Trace): Set<number> {
  return new Set(siblingRuns(trace).byHead.keys());
}

/** Folds or unfolds one span. The folding rule no longer applies then. */
function fold(view: TraceView, span: number, folding: boolean): TraceView {
  const folded = new Set(view.folded);
  if (folding) {
    folded.add(span);
  } else {
    folded.delete(span);
  }
  return { ...view, folded, foldRule: undefined };
}

/** All spans that have children. */
function allParents(trace: Trace): Set<number> {
  const parents = new Set<number>();
  for (let span = 0; span < trace.spans.length; span += 1) {
    if (hasChildren(trace, span)) {
      parents.add(span);
    }
  }
  return parents;
}

/** The next or previous failed span, wrapping around at the ends; −1 without failed spans. */
function nextError(trace: Trace, from: number, by: 1 | -1): number {
  const count = trace.spans.length;
  const first = from === -1 && by === -1 ? 0 : from;
  for (let step = 1; step <= count; step += 1) {
    const span = (((first + by * step) % count) + count) % count;
    if (((trace.flags[span] as number) & spanFlag.error) !== 0) {
      return span;
    }
  }
  return -1;
}

/** Zooms about the given point, else the middle of the selected span, else the middle of the range. */
function zoomed(
  trace: Trace,
  view: TraceView,
  { factor, centreUs }: { factor: number; centreUs?: number },
): TimeRange {
  const { fromUs, toUs } = view.range;
  const middle =
    view.selected === -1
      ? (fromUs + toUs) / 2
      : (trace.offsetUs[view.selected] as number) + (trace.spanUs[view.selected] as number) / 2;
  const centre = Math.min(toUs, Math.max(fromUs, centreUs ?? middle));
  return withinTrace(trace, {
    fromUs: centre - (centre - fromUs) * factor,
    toUs: centre + (toUs - centre) * factor,
  });
}

/** Moves the range by a share of its length, limited by the trace. */
function panned(trace: Trace, { fromUs, toUs }: TimeRange, by: number): TimeRange {
  const whole = wholeRange(trace);
  const step = Math.max(-fromUs, Math.min(whole.toUs - toUs, by * (toUs - fromUs)));
  return { fromUs: fromUs + step, toUs: toUs + step };
}

/**
 * Limits a range to the trace, orders its ends, and makes it at least `shortestRangeUs` long. A range of NaN becomes
 * the whole trace.
 */
function withinTrace(trace: Trace, range: TimeRange): TimeRange {
  const whole = wholeRange(trace);
  const low = Math.min(range.fromUs, range.toUs);
  const high = Math.max(range.fromUs, range.toUs);
  const fromUs = Math.max(0, Math.min(low, whole.toUs - shortestRangeUs));
  const toUs = Math.min(whole.toUs, Math.max(high, fromUs + shortestRangeUs));
  return Number.isFinite(fromUs) && Number.isFinite(toUs) ? { fromUs, toUs } : whole;
}

/** The view of an address. Ids that the trace does not have are ignored. */
export function viewOfAddress(trace: Trace, address: TraceAddress): TraceView {
  const listed = (ids: string | undefined) => (ids ?? "").split(",").filter((id) => id !== "");
  const wanted = new Set([
    ...listed(address.open),
    ...listed(address.fold),
    ...listed(address.runs),
    address.span ?? "",
  ]);
  wanted.delete("");
  const byId = new Map<string, number>();
  for (let span = 0; span < trace.spans.length && byId.size < wanted.size; span += 1) {
    const id = trace.spans[span]?.spanID ?? "";
    if (wanted.has(id) && !byId.has(id)) {
      byId.set(id, span);
    }
  }
  const spansOf = (ids: string | undefined) =>
    new Set(
      listed(ids)
        .map((id) => byId.get(id))
        .filter((span) => span !== undefined),
    );
  const whole = wholeRange(trace);
  const view: TraceView = {
    selected: -1,
    open: spansOf(address.open),
    folded: foldedOf(trace, address.fold) ?? spansOf(address.fold),
    foldRule: parseFoldRule(address.fold),
    openRuns: address.runs === "all" ? allRuns(trace) : spansOf(address.runs),
    filter: address.q ?? serviceFilterText(trace.services, address.svcFilter ?? "") ?? "",
    dims: address.others === "dim",
    range: withinTrace(trace, { fromUs: address.from ?? 0, toUs: address.to ?? whole.toUs }),
  };
  return select(trace, view, byId.get(address.span ?? "") ?? -1);
}

/** The spans folded by `all` or by a rule in an address; undefined when the address lists span ids. */
function foldedOf(trace: Trace, fold: string | undefined): Set<number> | undefined {
  if (fold === "all") {
    return allParents(trace);
  }
  const rule = parseFoldRule(fold);
  return rule === undefined ? undefined : foldedBy(trace, rule);
}

/** The address of a view, without default values. Each list of span ids ends after 40 ids. */
export function addressOfView(trace: Trace, view: TraceView): Record<string, string> {
  const idsOf = (spans: ReadonlySet<number>) =>
    [...spans]
      .slice(0, mostIds)
      .map((span) => trace.spans[span]?.spanID)
      .join(",");
  const parents = view.folded.size > mostIds ? allParents(trace).size : Number.NaN;
  const runs = view.openRuns.size > 0 && view.openRuns.size === allRuns(trace).size;
  const fields: Record<string, string> = {
    span: trace.spans[view.selected]?.spanID ?? "",
    open: idsOf(view.open),
    fold:
      view.foldRule !== undefined
        ? foldRuleText(view.foldRule)
        : view.folded.size === parents
          ? "all"
          : idsOf(view.folded),
    runs: runs ? "all" : idsOf(view.openRuns),
    q: view.filter,
    others: view.dims ? "dim" : "",
  };
  if (!isWhole(trace, view.range)) {
    fields.from = String(Math.floor(view.range.fromUs));
    fields.to = String(Math.ceil(view.range.toUs));
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

import { spanFlag, type Trace } from "./trace.ts";

/** Minimum number of consecutive similar siblings for a run. Fewer siblings are shown one by one. */
export const leastRun = 8;

/**
 * Maximum number of siblings in a repeated pattern, such as a query for each item and the calls that process its rows.
 */
const longestPeriod = 8;
/** Minimum number of repeats for a pattern of several siblings. Fewer repeats are shown one by one. */
const fewestRepeats = 4;

/** Consecutive siblings that repeat: the same service and operation, or a pattern of several in the same order. */
export interface SiblingRun {
  /** The first sibling, whose row represents the run while it is folded. */
  head: number;
  /** Index just past the last sibling and its descendants. */
  end: number;
  /** Number of repeats; with a period of 1, the number of siblings. */
  count: number;
  /** Number of siblings in a repeat, without descendants. */
  period: number;
  /** Operations of the siblings of a repeat, in their order. */
  operations: readonly string[];
  /** Number of failed spans among the siblings and their descendants. */
  errors: number;
  /** Median of the durations of the repeats, each from its first start to its latest end, microseconds. */
  p50Us: number;
  /** 95th percentile of the durations of the repeats, microseconds. */
  p95Us: number;
  /** 99th percentile of the durations of the repeats, microseconds. */
  p99Us: number;
  /** Start of the first sibling, microseconds after the trace's start. `endUs` is the latest end. */
  startUs: number;
  endUs: number;
}

/** The runs of a trace. */
export interface SiblingRuns {
  /** Runs by their first sibling. */
  byHead: ReadonlyMap<number, SiblingRun>;
  /** Per span: the head of its run, −1 for a span outside of runs. */
  headOf: Int32Array;
}

/** Cached runs by trace, because the view's reducer, the rows and the keys all use them. */
const found = new WeakMap<Trace, SiblingRuns>();

/** The runs of at least `leastRun` siblings that repeat among the children of each span, and among the roots. */
export function siblingRuns(trace: Trace): SiblingRuns {
  let runs = found.get(trace);
  if (runs === undefined) {
    runs = findRuns(trace);
    found.set(trace, runs);
  }
  return runs;
}

/** The run of a sibling; undefined for a span outside of runs. */
export function runOf({ byHead, headOf }: SiblingRuns, span: number): SiblingRun | undefined {
  return byHead.get(headOf[span] ?? -1);
}

/** Finds all runs. The search from one sibling is bounded unless it finds a run, so the cost is linear in the spans. */
function findRuns(trace: Trace): SiblingRuns {
  const byHead = new Map<number, SiblingRun>();
  const headOf = new Int32Array(trace.spans.length).fill(-1);
  const kindOf = kindsOf(trace);
  const scan = (from: number, to: number) => {
    const siblings: number[] = [];
    for (let span = from; span < to; span = trace.subtreeEnd[span] as number) {
      siblings.push(span);
    }
    if (siblings.length < leastRun) {
      return;
    }
    const kinds = siblings.map((span) => kindOf[span] as number);
    for (let at = 0; at < siblings.length; ) {
      const found = repeatsAt(kinds, at);
      if (found === undefined) {
        at += 1;
        continue;
      }
      const next = at + found.count * found.period;
      const run = summarise(trace, siblings.slice(at, next), siblings[next] ?? to, found.period);
      byHead.set(run.head, run);
      for (let sibling = at; sibling < next; sibling += 1) {
        headOf[siblings[sibling] as number] = run.head;
      }
      at = next;
    }
  };
  scan(0, trace.spans.length);
  for (let span = 0; span < trace.spans.length; span += 1) {
    const end = trace.subtreeEnd[span] as number;
    if (end - span > leastRun) {
      scan(span + 1, end);
    }
  }
  return { byHead, headOf };
}

/** Per span: a number shared by spans with the same service, operation, and flags for a missing parent or a cycle. */
function kindsOf(trace: Trace): Int32Array {
  const { spans, flags, service } = trace;
  const kindOf = new Int32Array(spans.length);
  const oddities = spanFlag.parentMissing | spanFlag.cycle;
  // Two levels of maps avoid building a combined key text for each span.
  const byPlace = new Map<number, Map<string, number>>();
  let kinds = 0;
  for (let span = 0; span < spans.length; span += 1) {
    const place = (service[span] as number) * 2 * oddities + ((flags[span] as number) & oddities);
    let numbers = byPlace.get(place);
    if (numbers === undefined) {
      numbers = new Map();
      byPlace.set(place, numbers);
    }
    const operation = spans[span]?.operationName ?? "";
    let kind = numbers.get(operation);
    if (kind === undefined) {
      kind = kinds++;
      numbers.set(operation, kind);
    }
    kindOf[span] = kind;
  }
  return kindOf;
}

/** The shortest pattern that repeats often enough, starting at a sibling. */
function repeatsAt(kinds: readonly number[], at: number): { count: number; period: number } | undefined {
  for (let period = 1; period <= longestPeriod; period += 1) {
    let like = 0;
    while (at + period + like < kinds.length && kinds[at + like] === kinds[at + period + like]) {
      like += 1;
    }
    const count = Math.floor(like / period) + 1;
    const fewest = period === 1 ? leastRun : Math.max(fewestRepeats, Math.ceil(leastRun / period));
    if (count >= fewest) {
      return { count, period };
    }
  }
  return undefined;
}

/** The figures of a run. */
function summarise(trace: Trace, siblings: readonly number[], end: number, period: number): SiblingRun {
  const head = siblings[0] as number;
  const count = siblings.length / period;
  const durations = new Float64Array(count);
  let endUs = 0;
  for (let repeat = 0; repeat < count; repeat += 1) {
    let startUs = Number.POSITIVE_INFINITY;
    let lastUs = 0;
    for (const span of siblings.slice(repeat * period, (repeat + 1) * period)) {
      const offsetUs = trace.offsetUs[span] as number;
      startUs = Math.min(startUs, offsetUs);
      lastUs = Math.max(lastUs, offsetUs + (trace.spanUs[span] as number));
    }
    durations[repeat] = lastUs - startUs;
    endUs = Math.max(endUs, lastUs);
  }
  durations.sort();
  return {
    ...{ head, end, count, period },
    operations: siblings.slice(0, period).map((span) => trace.spans[span]?.operationName ?? ""),
    errors: (trace.errorsBefore[end] as number) - (trace.errorsBefore[head] as number),
    p50Us: quantile(durations, 0.5),
    p95Us: quantile(durations, 0.95),
    p99Us: quantile(durations, 0.99),
    startUs: trace.offsetUs[head] as number,
    endUs,
  };
}

/**
 * The quantile of sorted values: the smallest value that at least `share` of the values do not exceed.
 * @param sorted ascending
 * @param share  0 to 1
 * @returns 0 when there are no values
 */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

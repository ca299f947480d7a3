import { spanFlag, type Trace } from "./trace.ts";

/** Fewer like siblings in a row than this are shown one by one. */
export const leastRun = 8;

/** Siblings that a pattern of several takes up to become one repeat: a query for each item, and what is done with its rows. */
const longestPeriod = 8;
/** Fewer repeats of a pattern of several siblings are shown one by one. */
const fewestRepeats = 4;

/** Siblings that follow each other and repeat: of one service and operation, or of a few in the same order each time. */
export interface SiblingRun {
  /** The first of them, which stands for all while the run is folded. */
  head: number;
  /** Index just past the last one and its descendants. */
  end: number;
  /** Repeats; with a period of one these are the siblings. */
  count: number;
  /** Siblings of a repeat; their descendants are not counted. */
  period: number;
  /** Operations of the siblings of a repeat, in their order. */
  operations: readonly string[];
  /** Failed spans among them and their descendants. */
  errors: number;
  /** Median of the durations of the repeats, each from its first start to its latest end, microseconds. */
  p50Us: number;
  /** 95th percentile of them. */
  p95Us: number;
  /** 99th percentile of them. */
  p99Us: number;
  /** From the first one's start to the latest end, microseconds after the trace's start. */
  startUs: number;
  endUs: number;
}

/** The runs of a trace. */
export interface SiblingRuns {
  /** Runs by their first sibling. */
  byHead: ReadonlyMap<number, SiblingRun>;
  /** Per span: the head of the run that it is a sibling in, −1 for one that is in none. */
  headOf: Int32Array;
}

/** Runs by trace: the reducer of the view, the rows and the keys all ask for them. */
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

/** The run that the span is a sibling in; undefined for one that is in none. */
export function runOf({ byHead, headOf }: SiblingRuns, span: number): SiblingRun | undefined {
  return byHead.get(headOf[span] ?? -1);
}

/** All runs. The look ahead from one sibling is bounded unless it finds a run, so the cost grows with the spans. */
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

/** Per span a number that like spans share: one service, operation, and place in the tree. */
function kindsOf(trace: Trace): Int32Array {
  const { spans, flags, service } = trace;
  const kindOf = new Int32Array(spans.length);
  const oddities = spanFlag.parentMissing | spanFlag.cycle;
  // By service and place, then by operation: one text of all three would have to be made for each span.
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

/** The shortest pattern that repeats often enough from a sibling on. */
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
 * The least of the values that the share of them does not exceed.
 * @param sorted ascending
 * @param share  0 to 1
 * @returns 0 when there are no values
 */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

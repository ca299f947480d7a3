import { spanFlag, type Trace } from "./trace.ts";

/** Fewer like siblings in a row than this are shown one by one. */
export const leastRun = 8;

/** Siblings that follow each other and are of one service and operation. */
export interface SiblingRun {
  /** The first of them, which stands for all while the run is folded. */
  head: number;
  /** Index just past the last one and its descendants. */
  end: number;
  /** Siblings; their descendants are not counted. */
  count: number;
  /** Failed spans among them and their descendants. */
  errors: number;
  /** Durations, microseconds: the values that half, 95 and 99 in a hundred do not exceed. */
  p50Us: number;
  p95Us: number;
  p99Us: number;
  /** From the first one's start to the latest end, microseconds after the trace's start. */
  startUs: number;
  endUs: number;
}

/** The runs of a trace. */
export interface SiblingRuns {
  byHead: ReadonlyMap<number, SiblingRun>;
  /** Per span: the head of the run that it is a sibling in, −1 for one that is in none. */
  headOf: Int32Array;
}

/** Runs by trace: the reducer of the view, the rows and the keys all ask for them. */
const found = new WeakMap<Trace, SiblingRuns>();

/** The runs of at least `leastRun` like siblings among the children of each span, and among the roots. */
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

function findRuns(trace: Trace): SiblingRuns {
  const byHead = new Map<number, SiblingRun>();
  const headOf = new Int32Array(trace.spans.length).fill(-1);
  const scan = (from: number, to: number) => {
    for (let head = from; head < to; ) {
      let count = 1;
      let next = trace.subtreeEnd[head] as number;
      while (next < to && alike(trace, head, next)) {
        count += 1;
        next = trace.subtreeEnd[next] as number;
      }
      if (count >= leastRun) {
        byHead.set(head, summarise(trace, head, next, count));
        for (let span = head; span < next; span = trace.subtreeEnd[span] as number) headOf[span] = head;
      }
      head = next;
    }
  };
  scan(0, trace.spans.length);
  for (let span = 0; span < trace.spans.length; span += 1) {
    const end = trace.subtreeEnd[span] as number;
    if (end - span > leastRun) scan(span + 1, end);
  }
  return { byHead, headOf };
}

function alike(trace: Trace, a: number, b: number): boolean {
  return (
    trace.service[a] === trace.service[b] &&
    trace.spans[a]?.operationName === trace.spans[b]?.operationName &&
    ((trace.flags[b] as number) & (spanFlag.parentMissing | spanFlag.cycle)) ===
      ((trace.flags[a] as number) & (spanFlag.parentMissing | spanFlag.cycle))
  );
}

function summarise(trace: Trace, head: number, end: number, count: number): SiblingRun {
  const durations = new Float64Array(count);
  let at = 0;
  let endUs = 0;
  for (let span = head; span < end; span = trace.subtreeEnd[span] as number) {
    const us = trace.spanUs[span] as number;
    durations[at++] = us;
    endUs = Math.max(endUs, (trace.offsetUs[span] as number) + us);
  }
  durations.sort();
  return {
    head,
    end,
    count,
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

import type { ApiSpan, ApiTrace } from "./trace-schema.ts";

/** Bits of `Trace.flags`. */
export const spanFlag = {
  /** The span failed. */
  error: 1,
  /** The query service attached warnings, or the span's duration is negative. */
  warning: 2,
  /** The span names a parent that is not in the trace; it is shown as a root. */
  parentMissing: 4,
  /** The span's chain of parents leads back to the span. The chain was cut at this span, which is now a root. */
  cycle: 8,
  /** An earlier span of the trace has the same id and got the children. */
  duplicateId: 16,
} as const;

/**
 * A trace laid out for drawing. A span is an index into the columns. Spans are in the order of the tree
 * from top to bottom: parents before children, siblings by start. So a subtree is the range [i, subtreeEnd[i]).
 */
export interface Trace {
  traceId: string;
  spans: readonly ApiSpan[];
  processes: ApiTrace["processes"];
  warnings: readonly string[];
  /** Earliest start, microseconds since 1970. */
  startUs: number;
  /** Duration from the earliest start to the latest end, microseconds. */
  durationUs: number;
  /** Per span: start in microseconds after `startUs`. */
  offsetUs: Float64Array;
  /** Per span: duration in microseconds, never below 0. */
  spanUs: Float64Array;
  /** Per span: index of the parent, −1 for a root. */
  parent: Int32Array;
  /** Per span: depth below its root, 0 for a root. */
  depth: Int32Array;
  /** Per span: index just past its last descendant. */
  subtreeEnd: Int32Array;
  /** Per span: index into `services`. */
  service: Int32Array;
  /** Per span: bits of `spanFlag`. */
  flags: Uint8Array;
  /** Entry i: number of failed spans among the first i spans. The array has one more entry than there are spans. */
  errorsBefore: Int32Array;
  /** Service names, in the order of their first span in the tree. */
  services: readonly string[];
  /** Number of levels of the deepest branch; 0 for a trace without spans. */
  levels: number;
}

/** Number of spans of the trace that have the flag. */
export function countFlag(trace: Trace, flag: number): number {
  let count = 0;
  for (const flags of trace.flags) {
    if ((flags & flag) !== 0) {
      count += 1;
    }
  }
  return count;
}

/** Number of failed spans below the span, without the span itself. */
export function errorsBelow(trace: Trace, span: number): number {
  const end = trace.subtreeEnd[span] as number;
  return (trace.errorsBefore[end] as number) - (trace.errorsBefore[span + 1] as number);
}

/** The span that represents the trace: the first root without a parent reference, else the first root. */
export function leadingRoot(trace: Trace): number | undefined {
  let first: number | undefined;
  for (let span = 0; span < trace.spans.length; span = trace.subtreeEnd[span] as number) {
    first ??= span;
    if (((trace.flags[span] as number) & (spanFlag.parentMissing | spanFlag.cycle)) === 0) {
      return span;
    }
  }
  return first;
}

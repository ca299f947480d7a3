import type { Trace } from "./trace.ts";

/** A time range in which no span of the trace ran, drawn shorter than it was. */
export interface IdleGap {
  /** Start in the drawn trace, microseconds after the trace's start. */
  fromUs: number;
  /** End in the drawn trace, microseconds after the trace's start. */
  toUs: number;
  /** Real length in microseconds. */
  lengthUs: number;
}

/** A trace with folded idle gaps, for drawing. */
export interface FoldedTrace {
  /**
   * The same spans, closer together: `offsetUs` and `durationUs` exclude the folded time. Durations of
   * spans are unchanged, because no span runs in a gap.
   */
  trace: Trace;
  /** The folded gaps, earliest first. */
  gaps: readonly IdleGap[];
}

/** Limit of an unfolded gap, as a share of the time in which spans ran. Longer gaps are folded. */
const leastPart = 0.25;
/** The drawn length of a folded gap, as a share of the time in which spans ran. */
const shownPart = 0.03;

/** Folds the gaps of a trace that would leave little room for its spans. */
export function foldIdleGaps(trace: Trace): FoldedTrace {
  const idle = idleTimes(trace, byStart(trace, reachingOut(trace)));
  const busyUs = trace.durationUs - idle.reduce((sum, { lengthUs }) => sum + lengthUs, 0);
  const folded = idle.filter(({ lengthUs }) => lengthUs > busyUs * leastPart);
  if (busyUs <= 0 || folded.length === 0) {
    return { trace, gaps: [] };
  }

  const leftUs = busyUs * shownPart;
  const gaps: IdleGap[] = [];
  const offsetUs = trace.offsetUs.slice();
  let removedUs = 0;
  let next = 0;
  for (const span of byStart(trace, Int32Array.from(trace.offsetUs.keys()))) {
    const at = trace.offsetUs[span] as number;
    for (let gap = folded[next]; gap !== undefined && at >= gap.endUs; gap = folded[next]) {
      const fromUs = gap.endUs - gap.lengthUs - removedUs;
      gaps.push({ fromUs, toUs: fromUs + leftUs, lengthUs: gap.lengthUs });
      removedUs += gap.lengthUs - leftUs;
      next += 1;
    }
    offsetUs[span] = at - removedUs;
  }
  return { trace: { ...trace, offsetUs, durationUs: trace.durationUs - removedUs }, gaps };
}

/** Roots, and spans that run outside their parent's time. Their times cover the times of all other spans. */
function reachingOut({ parent, offsetUs, spanUs }: Trace): Int32Array {
  const found: number[] = [];
  for (let span = 0; span < parent.length; span += 1) {
    const up = parent[span] as number;
    const from = offsetUs[span] as number;
    const upFrom = offsetUs[up] as number;
    const isWithin =
      up !== -1 && from >= upFrom && from + (spanUs[span] as number) <= upFrom + (spanUs[up] as number);
    if (!isWithin) {
      found.push(span);
    }
  }
  return Int32Array.from(found);
}

/** Sorts spans by their start, in place. */
function byStart({ offsetUs }: Trace, spans: Int32Array): Int32Array {
  return spans.sort((a, b) => (offsetUs[a] as number) - (offsetUs[b] as number));
}

/** Times in which no span ran, earliest first. @param order spans by start */
function idleTimes(trace: Trace, order: Int32Array): { endUs: number; lengthUs: number }[] {
  const idle: { endUs: number; lengthUs: number }[] = [];
  let atUs = 0;
  for (const span of order) {
    const from = trace.offsetUs[span] as number;
    if (from > atUs) {
      idle.push({ endUs: from, lengthUs: from - atUs });
    }
    atUs = Math.max(atUs, from + (trace.spanUs[span] as number));
  }
  return idle;
}

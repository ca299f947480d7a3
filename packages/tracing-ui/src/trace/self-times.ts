import type { Trace } from "./trace.ts";

/** Cached self times by trace, because several views use them. */
const known = new WeakMap<Trace, Float64Array>();

/** Per span: the part of its duration in which none of its children ran, in microseconds. */
export function selfTimes(trace: Trace): Float64Array {
  let times = known.get(trace);
  if (times === undefined) {
    times = Float64Array.from(trace.spanUs, (_, span) => selfTime(trace, span));
    known.set(trace, times);
  }
  return times;
}

/** Computes one self time. Children are sorted by start, so one pass finds the union of their times. */
function selfTime(trace: Trace, span: number): number {
  const startUs = trace.offsetUs[span] as number;
  const endUs = startUs + (trace.spanUs[span] as number);
  const end = trace.subtreeEnd[span] as number;
  let self = 0;
  let atUs = startUs;
  for (let child = span + 1; child < end && atUs < endUs; child = trace.subtreeEnd[child] as number) {
    const from = Math.min(trace.offsetUs[child] as number, endUs);
    if (from > atUs) {
      self += from - atUs;
    }
    atUs = Math.max(atUs, (trace.offsetUs[child] as number) + (trace.spanUs[child] as number));
  }
  return self + Math.max(0, endUs - atUs);
}

import type { Random } from "./random.ts";
import { type Operation, rootOperations } from "./shop-operations.ts";

/** A planned span: all its data except ids and absolute times. */
export interface PlannedSpan {
  readonly operation: Operation;
  /** Index of the span's trace within the batch, from 0. */
  readonly trace: number;
  /** Number of its parent within the batch, always lower than its own number; -1 for a root. */
  readonly parent: number;
  /** Nanoseconds from the start of its trace to its own start. */
  readonly startNs: number;
  readonly durationNs: number;
  readonly failed: boolean;
}

/** Fraction of requests that fail; an error also makes all callers fail. */
const failureRate = 0.012;

/** Plans this many spans in whole traces. Only the last trace may be incomplete, and every span has its parent. */
export function planSpans(random: Random, count: number): PlannedSpan[] {
  const spans: PlannedSpan[] = [];
  for (let trace = 0; spans.length < count; trace++) {
    plan(spans, random, random.pick(rootOperations), trace, -1, 0);
  }
  return spans.slice(0, count);
}

/** Adds the span of an operation and the spans of its calls, one call after another. @returns the added span */
function plan(
  spans: PlannedSpan[],
  random: Random,
  operation: Operation,
  trace: number,
  parent: number,
  startNs: number,
): PlannedSpan {
  const number = spans.length;
  spans.push({ operation, trace, parent, startNs, durationNs: 0, failed: false });
  // Most calls are near the typical time, a few take ten times as long.
  const ownNs = operation.ownUs * 1000 * (0.5 + random.unit() + (random.chance(0.02) ? 10 : 0));
  let endNs = startNs + ownNs / 2;
  let failed = random.chance(failureRate);
  for (const called of operation.calls) {
    const child = plan(spans, random, called, trace, number, Math.round(endNs));
    endNs = child.startNs + child.durationNs;
    failed ||= child.failed;
  }
  const durationNs = Math.round(endNs + ownNs / 2 - startNs);
  const span = { operation, trace, parent, startNs, durationNs, failed };
  spans[number] = span;
  return span;
}

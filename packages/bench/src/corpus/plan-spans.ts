import type { Random } from "./random.ts";
import { type Operation, rootOperations } from "./shop-operations.ts";

/** A span to be: everything about it but its ids and the moment. */
export interface PlannedSpan {
  readonly operation: Operation;
  /** Number of its trace in the batch. */
  readonly trace: number;
  /** Number of its parent in the batch, always below its own; -1 for a root. */
  readonly parent: number;
  /** Nanoseconds after the start of its trace. */
  readonly startNs: number;
  readonly durationNs: number;
  readonly failed: boolean;
}

/** One request in so many fails; an error climbs to all callers. */
const failureRate = 0.012;

/** As many spans as wanted, in whole traces; only the last trace may be cut short, and never loses a parent. */
export function planSpans(random: Random, count: number): PlannedSpan[] {
  const spans: PlannedSpan[] = [];
  for (let trace = 0; spans.length < count; trace++) {
    plan(spans, random, random.pick(rootOperations), trace, -1, 0);
  }
  return spans.slice(0, count);
}

/** Adds the span of an operation and of all that it calls, one call after another. @returns the added span */
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

import { bucketBoundsMs, type SpanCounter } from "../service/span-counters.ts";
import { connectorBoundsMs } from "../span-metric-bounds.ts";
import { type SpanExemplar, seriesKey } from "./exemplars.ts";

/** A series of spans in the form that both protocols need. */
export interface SpanSeries {
  readonly service: string;
  readonly operation: string;
  /** `SPAN_KIND_SERVER` and so on. */
  readonly spanKind: string;
  /** `STATUS_CODE_ERROR` or `STATUS_CODE_UNSET`. */
  readonly statusCode: string;
  /** Calls since the counter began. */
  readonly calls: number;
  /** Sum of durations in milliseconds. */
  readonly durationMs: number;
  /** Calls in each bucket of `connectorBoundsMs`, and above the last bound. Not cumulative. */
  readonly buckets: readonly number[];
  /** A span of each bucket that has a new one, by the bucket's index. */
  readonly exemplars: ReadonlyMap<number, SpanExemplar>;
}

/** Converts counters to series, and adds their exemplars. */
export function spanSeriesOf(
  counters: readonly SpanCounter[],
  exemplars: ReadonlyMap<string, readonly SpanExemplar[]>,
): SpanSeries[] {
  return counters.map((counter) => ({
    service: counter.service,
    operation: counter.operation,
    spanKind: `SPAN_KIND_${counter.spanKind.toUpperCase()}`,
    statusCode: counter.failed ? "STATUS_CODE_ERROR" : "STATUS_CODE_UNSET",
    calls: counter.calls,
    durationMs: counter.durationMs,
    buckets: connectorBuckets(counter.buckets),
    exemplars: new Map(
      (exemplars.get(seriesKey(counter)) ?? []).map((one) => [bucketOf(one.durationMs), one] as const),
    ),
  }));
}

/** Index of the first bound not below the duration, or the index after the last bound. */
function bucketOf(durationMs: number): number {
  const found = connectorBoundsMs.findIndex((bound) => durationMs <= bound);
  return found === -1 ? connectorBoundsMs.length : found;
}

/** Sums the finer buckets of a counter to the buckets of `connectorBoundsMs`. */
function connectorBuckets(counted: readonly number[]): number[] {
  const buckets = Array.from({ length: connectorBoundsMs.length + 1 }, () => 0);
  for (const [index, calls] of counted.entries()) {
    const bound = bucketBoundsMs[index] ?? Infinity;
    const to = bucketOf(bound);
    buckets[to] = (buckets[to] ?? 0) + calls;
  }
  return buckets;
}

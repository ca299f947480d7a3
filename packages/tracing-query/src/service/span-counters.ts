import { durationOfBucket, type SpanCount } from "storage/api";
import { connectorBoundsMs } from "../span-metric-bounds.ts";
import { type Counting, countDuration, counterOf, noDurations } from "./prometheus-counters.ts";

/** Maximum number of counters for one tenant; each service, operation, kind and outcome has a counter. */
const maxCounters = 50_000;

/** Bounds of histograms in milliseconds: the defaults of Tempo's metrics-generator. */
export const tempoBoundsMs: readonly number[] = Array.from({ length: 14 }, (_, power) => 2 ** (power + 1));

/** Bounds of the counted buckets: both lists together. */
export const bucketBoundsMs: readonly number[] = [...new Set([...connectorBoundsMs, ...tempoBoundsMs])].sort(
  (one, other) => one - other,
);

/** Counts of one operation's calls with one outcome. */
export interface SpanCounter {
  readonly service: string;
  readonly operation: string;
  readonly spanKind: SpanCount["spanKind"];
  /** True: counts failed calls; false: successful calls. */
  readonly failed: boolean;
  /** Calls since the counter began. */
  calls: number;
  /** Sum of durations in milliseconds. */
  durationMs: number;
  /**
   * Number of calls in each bucket. Bucket `i` has durations above `bucketBoundsMs[i - 1]` and up to
   * `bucketBoundsMs[i]`.
   */
  readonly buckets: number[];
}

/** Spans of all services. */
export const spanCounting: Counting<SpanCount, SpanCounter> = {
  rows: (store, minutes, options) => store.getSpanCounts(minutes, options),
  add(counters, { service, operation, spanKind, durationBucket, calls, errors, durationNano }) {
    const parts = [
      { failed: false, part: calls - errors },
      { failed: true, part: errors },
    ];
    for (const { failed, part } of parts) {
      if (part === 0) {
        continue;
      }
      const counter = counterOf(counters, JSON.stringify([service, operation, spanKind, failed]), {
        max: maxCounters,
        what: "spans",
        make: () => ({
          service,
          operation,
          spanKind,
          failed,
          calls: 0,
          durationMs: 0,
          buckets: noDurations(bucketBoundsMs),
        }),
      });
      counter.calls += part;
      counter.durationMs += (durationNano / 1e6) * (part / calls);
      countDuration(counter.buckets, bucketBoundsMs, durationOfBucket(durationBucket) / 1e6, part);
    }
  },
};

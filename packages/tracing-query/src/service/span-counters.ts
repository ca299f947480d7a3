import { durationOfBucket, type SpanCount } from "storage/api";
import { type Counting, countDuration, counterOf, noDurations } from "./growing-counters.ts";

/** Of one tenant: services by operations, kinds and outcomes. */
const maxCounters = 50_000;

/** Bounds of histograms, milliseconds, as OpenTelemetry's span metrics connector has them by default. */
export const connectorBoundsMs: readonly number[] = [
  2, 4, 6, 8, 10, 50, 100, 200, 400, 800, 1_000, 1_400, 2_000, 5_000, 10_000, 15_000,
];

/** The same as Tempo's metrics-generator has them. */
export const tempoBoundsMs: readonly number[] = Array.from({ length: 14 }, (_, power) => 2 ** (power + 1));

/** Bounds of the buckets that are counted in: those of both. */
export const bucketBoundsMs: readonly number[] = [...new Set([...connectorBoundsMs, ...tempoBoundsMs])].sort(
  (one, other) => one - other,
);

/** What has been counted of one operation's calls with one outcome. */
export interface SpanCounter {
  readonly service: string;
  readonly operation: string;
  readonly spanKind: SpanCount["spanKind"];
  readonly failed: boolean;
  calls: number;
  durationMs: number;
  /** Calls that took no longer than each of `bucketBoundsMs` and longer than the one before. */
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

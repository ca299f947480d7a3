import type { Span } from "wire/model";
import { durationBucket } from "../../api/duration-buckets.ts";
import type { MetricSlots, SeriesCounts } from "../../api/metric-series.ts";
import type { MetricsQuery } from "../../api/metrics-reader.ts";

/** Counts spans by series, slot and duration bucket. */
export function countSlots(spans: Iterable<Span>, query: MetricsQuery, slots: MetricSlots): SeriesCounts[] {
  const series = new Map<string, ListedCounts>();
  const startNano = BigInt(slots.startUnixMs) * 1_000_000n;
  const slotNano = BigInt(slots.slotMinutes) * 60_000_000_000n;
  for (const span of spans) {
    const service = span.resource.serviceName;
    if (!query.services.includes(service) || !query.spanKinds.includes(span.kind)) {
      continue;
    }
    const slot = Number((span.startTimeUnixNano - startNano) / slotNano);
    if (span.startTimeUnixNano < startNano || slot >= slots.count) {
      continue;
    }
    const operation = query.groupByOperation ? span.name : "";
    const key = JSON.stringify([service, operation]);
    let counts = series.get(key);
    if (counts === undefined) {
      counts = { service, operation, slots: [], buckets: [], calls: [], errors: [] };
      series.set(key, counts);
    }
    // Later code adds up the entries of the same slot and bucket.
    counts.slots.push(slot);
    counts.buckets.push(durationBucket(span.durationNano));
    counts.calls.push(1);
    counts.errors.push(span.status.code === "error" ? 1 : 0);
  }
  return [...series.values()];
}

interface ListedCounts extends SeriesCounts {
  readonly slots: number[];
  readonly buckets: number[];
  readonly calls: number[];
  readonly errors: number[];
}

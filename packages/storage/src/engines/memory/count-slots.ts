import type { Span } from "wire/model";
import { durationBucket } from "../../api/duration-buckets.ts";
import type { MetricSlots, SlotCount } from "../../api/metric-series.ts";
import type { MetricsQuery } from "../../api/metrics-reader.ts";

/** Counts spans by series, slot and bucket of duration. */
export function countSlots(spans: Iterable<Span>, query: MetricsQuery, slots: MetricSlots): SlotCount[] {
  const counts = new Map<string, SlotCount>();
  const startNano = BigInt(slots.startUnixMs) * 1_000_000n;
  const slotNano = BigInt(slots.slotMinutes) * 60_000_000_000n;
  for (const span of spans) {
    const service = span.resource.serviceName;
    if (!query.services.includes(service) || !query.spanKinds.includes(span.kind)) continue;
    const slot = Number((span.startTimeUnixNano - startNano) / slotNano);
    if (span.startTimeUnixNano < startNano || slot >= slots.count) continue;
    const operation = query.groupByOperation ? span.name : "";
    const bucket = durationBucket(span.durationNano);
    const key = JSON.stringify([service, operation, slot, bucket]);
    const { calls, errors } = counts.get(key) ?? { calls: 0, errors: 0 };
    const failed = span.status.code === "error" ? 1 : 0;
    counts.set(key, { service, operation, slot, bucket, calls: calls + 1, errors: errors + failed });
  }
  return [...counts.values()];
}

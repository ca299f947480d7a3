import type { Span } from "wire/model";
import { durationBucket } from "../../api/duration-buckets.ts";
import { checkedCountMinutes, type SpanCount, type SpanCountQuery } from "../../api/span-counts.ts";

const minuteNano = 60_000_000_000n;

/** Counts spans of all services. */
export function spanCountsOf(spans: Iterable<Span>, query: SpanCountQuery): SpanCount[] {
  const { startMinute, endMinute } = checkedCountMinutes(query);
  const counts = new Map<string, SpanCount>();
  for (const { resource, name, kind, status, durationNano, startTimeUnixNano } of spans) {
    const minute = startTimeUnixNano / minuteNano;
    if (minute < startMinute || minute >= endMinute) {
      continue;
    }
    const bucket = durationBucket(durationNano);
    const key = JSON.stringify([resource.serviceName, name, kind, bucket]);
    const before = counts.get(key);
    counts.set(key, {
      service: resource.serviceName,
      operation: name,
      spanKind: kind,
      durationBucket: bucket,
      calls: (before?.calls ?? 0) + 1,
      errors: (before?.errors ?? 0) + (status.code === "error" ? 1 : 0),
      durationNano: (before?.durationNano ?? 0) + Math.max(0, Number(durationNano)),
    });
  }
  return [...counts.values()];
}

import { adjustedCount, type Span } from "wire/model";
import { countOf } from "../../api/adjusted-counts.ts";
import { durationBucket } from "../../api/duration-buckets.ts";
import { checkGoodCounts, type GoodCount, type GoodCountsQuery } from "../../api/good-counts.ts";

const nanoPerMs = 1_000_000n;

/** Counts all and good spans by step. @throws StorageError STORAGE_BAD_QUERY */
export function goodCountsOf(spans: Iterable<Span>, query: GoodCountsQuery): GoodCount[] {
  checkGoodCounts(query);
  const { service, operations, spanKinds, endBucket = Number.POSITIVE_INFINITY } = query;
  const startNano = BigInt(query.startUnixMs) * nanoPerMs;
  const endNano = BigInt(query.endUnixMs) * nanoPerMs;
  const stepNano = BigInt(query.stepMs) * nanoPerMs;
  const counts = new Map<number, { step: number; total: number; good: number }>();
  for (const span of spans) {
    const { name, kind, startTimeUnixNano: start } = span;
    if (span.resource.serviceName !== service || !spanKinds.includes(kind)) {
      continue;
    }
    if (start < startNano || start >= endNano || !(operations.length === 0 || operations.includes(name))) {
      continue;
    }
    const step = Number((start - startNano) / stepNano);
    const own = counts.get(step) ?? { step, total: 0, good: 0 };
    counts.set(step, own);
    const each = countOf(adjustedCount(span));
    own.total += each;
    own.good += span.status.code !== "error" && durationBucket(span.durationNano) < endBucket ? each : 0;
  }
  return [...counts.values()].sort((one, other) => one.step - other.step);
}

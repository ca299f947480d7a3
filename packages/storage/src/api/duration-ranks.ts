import type { SpanKind } from "wire/model";
import type { DurationRank, DurationRanksQuery } from "./analysis-reader.ts";
import { quantileNano, shareNoLonger } from "./duration-buckets.ts";

/** How long the spans of one operation last. */
export interface OperationDurations {
  readonly service: string;
  readonly operation: string;
  readonly spanKind: SpanKind;
  /** Spans by bucket of duration. */
  readonly counts: ReadonlyMap<number, number>;
}

/** What all spans of one operation and kind have in common. */
interface Peers extends Omit<DurationRank, "percentile"> {
  readonly counts: ReadonlyMap<number, number>;
}

/** Where each span stands among the spans counted; undefined where none is its peer. */
export function ranksOf(
  spans: DurationRanksQuery["spans"],
  durations: readonly OperationDurations[],
): (DurationRank | undefined)[] {
  const byOperation = Map.groupBy(durations, keyOf);
  const known = new Map<string, Peers | undefined>();
  return spans.map((span) => {
    const key = JSON.stringify([span.service, span.operation, span.spanKind]);
    if (!known.has(key)) {
      const found = byOperation.get(keyOf(span)) ?? [];
      known.set(key, peersOf(found.filter(({ spanKind }) => (span.spanKind ?? spanKind) === spanKind)));
    }
    const found = known.get(key);
    if (found === undefined) return undefined;
    const { counts, ...peers } = found;
    return { ...peers, percentile: shareNoLonger(counts, span.durationNano) };
  });
}

function keyOf({ service, operation }: { readonly service: string; readonly operation: string }): string {
  return JSON.stringify([service, operation]);
}

function peersOf(ofKinds: readonly OperationDurations[]): Peers | undefined {
  const counts = new Map<number, number>();
  let peers = 0;
  for (const kind of ofKinds) {
    for (const [bucket, count] of kind.counts) {
      counts.set(bucket, (counts.get(bucket) ?? 0) + count);
      peers += count;
    }
  }
  if (peers === 0) return undefined;
  return {
    counts,
    peers,
    medianNano: quantileNano(counts, 0.5),
    p95Nano: quantileNano(counts, 0.95),
    p99Nano: quantileNano(counts, 0.99),
  };
}

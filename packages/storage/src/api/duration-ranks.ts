import type { SpanKind } from "wire/model";
import type { DurationRanks, DurationRanksQuery } from "./analysis-reader.ts";
import { fitsQuery } from "./checked-query.ts";
import { quantileNano, shareNoLonger } from "./duration-buckets.ts";

/** Durations of the spans of one operation. */
export interface OperationDurations {
  readonly service: string;
  readonly operation: string;
  readonly spanKind: SpanKind;
  /** Number of the operation's spans in each bucket of duration. */
  readonly counts: ReadonlyMap<number, number>;
}

/**
 * Computes the rank of each duration. The result is undefined for operations without spans, and for names that are too
 * long for a query. One long name must not cost the ranks of all other operations.
 */
export function ranksOf(
  operations: DurationRanksQuery["operations"],
  durations: readonly OperationDurations[],
): (DurationRanks | undefined)[] {
  const byOperation = Map.groupBy(durations, keyOf);
  return operations.map((operation) => {
    if (!fitsQuery(operation)) {
      return undefined;
    }
    const counts = new Map<number, number>();
    let peers = 0;
    for (const found of byOperation.get(keyOf(operation)) ?? []) {
      if (operation.spanKind !== undefined && found.spanKind !== operation.spanKind) {
        continue;
      }
      for (const [bucket, count] of found.counts) {
        counts.set(bucket, (counts.get(bucket) ?? 0) + count);
        peers += count;
      }
    }
    if (peers === 0) {
      return undefined;
    }
    return {
      peers,
      percentiles: operation.durationsNano.map((duration) => shareNoLonger(counts, duration)),
      medianNano: quantileNano(counts, 0.5),
      p95Nano: quantileNano(counts, 0.95),
      p99Nano: quantileNano(counts, 0.99),
    };
  });
}

function keyOf({ service, operation }: { readonly service: string; readonly operation: string }): string {
  return JSON.stringify([service, operation]);
}

import type { Field, MetricsAggregate } from "traceql";
import type { StoredSum } from "../../../api/adjusted-counts.ts";
import { type MetricRow, wantsBuckets } from "../../../traceql/metric-rows.ts";
import { shownValue } from "../../../traceql/trace-match.ts";
import { readValue, type StoredTexts } from "./read-value.ts";

/** Sums of one group and interval, as ClickHouse returns them. */
export interface MetricSqlRow {
  /** Values of `by(…)`. */
  readonly g: readonly StoredTexts[];
  readonly i: string;
  /** Bucket of the number, see `floatBucket`. */
  readonly b: number;
  readonly c: number;
  /** Number of stored spans. Present only in adjusted queries, where the other numbers are adjusted for sampling. */
  readonly n?: number;
  readonly a?: StoredSum;
  /** Sum of the numbers; the next fields are the smallest and the largest number. */
  readonly s: number;
  readonly l: number;
  readonly h: number;
  /** Exemplar: trace id, span id, start, value. */
  readonly e?: readonly [string, string, string, number];
}

/** Merges rows into one row for each group and interval. */
export function gatherMetricRows(rows: readonly MetricSqlRow[], aggregate: MetricsAggregate): MetricRow[] {
  const gathered = new Map<string, MetricRow>();
  for (const row of rows) {
    const group = aggregate.by.map((field, index) => labelOf(field, row.g[index] ?? []));
    const key = `${row.i} ${JSON.stringify(group, (_key, part: unknown) => (typeof part === "bigint" ? `int ${part}` : part))}`;
    let own = gathered.get(key);
    if (own === undefined) {
      own = {
        ...{ group, interval: BigInt(row.i), count: 0, sum: 0 },
        ...{ min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY, buckets: new Map() },
      };
      gathered.set(key, own);
    }
    own.count += row.c;
    own.sum += row.s;
    own.min = Math.min(own.min, row.l);
    own.max = Math.max(own.max, row.h);
    if (wantsBuckets(aggregate)) {
      own.buckets.set(row.b, (own.buckets.get(row.b) ?? 0) + row.c);
    }
    if (row.e !== undefined && own.exemplar === undefined) {
      const [traceId, spanId, start, value] = row.e;
      own.exemplar = { traceId, spanId, unixNano: BigInt(start), value };
    }
  }
  return [...gathered.values()];
}

function labelOf(field: Field, texts: StoredTexts) {
  const value = readValue(field, texts);
  return shownValue(field, value);
}

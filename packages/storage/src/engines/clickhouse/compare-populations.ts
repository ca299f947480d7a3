import type {
  ComparedAttribute,
  Population,
  PopulationComparison,
  PopulationComparisonQuery,
  TimeRange,
} from "../../api/analysis-reader.ts";
import {
  checkPopulations,
  rankedAttributes,
  rankedOperations,
  stripesOf,
  timeOfPopulation,
} from "../../api/population-comparison.ts";
import { comparedAttributesSql, comparedOperationsSql, populationSql } from "./population-sql.ts";
import type { SqlQuery } from "./search-sql.ts";

/** Sums of one population in one bucket of durations. */
interface BucketRow {
  /** The population of the row. ClickHouse returns 1 or 0. */
  readonly isA: number | boolean;
  /** Index of the duration bucket. */
  readonly bucket: number;
  readonly spans: number;
  readonly errors: number;
  /** Sum of the spans' durations in nanoseconds. A negative duration counts as 0. */
  readonly durationNano: number;
  /** The longest duration in nanoseconds. */
  readonly longestNano: number;
}

type Cell = readonly [
  isA: number | boolean,
  bucket: number,
  spans: number,
  errors: number,
  durationNano: number,
  longestNano: number,
];

interface OperationRow
  extends Pick<PopulationComparison["operations"][number], "service" | "operation" | "spanKind"> {
  readonly cells: readonly Cell[];
}

/** Sampled spans of both populations with the same attribute value. The row `total` is for all sampled spans. */
interface AttributeRow {
  readonly place: ComparedAttribute["place"] | "total";
  readonly key: string;
  readonly value: string;
  readonly a_spans: number;
  readonly b_spans: number;
  readonly a_errors: number;
  readonly b_errors: number;
  /** Sum of the durations in `a`, in nanoseconds. */
  readonly a_nanos: number;
  /** Sum of the durations in `b`, in nanoseconds. */
  readonly b_nanos: number;
}

/** Access to the store of one tenant for a comparison. */
interface PopulationStore {
  /** Runs a SELECT. */
  readonly rowsOf: <Row>(sql: SqlQuery) => Promise<Row[]>;
  readonly database: string;
  readonly tenant: string;
  /** True when spans of the time range may be stored more than once. */
  readonly areRepeatedIn: (range: TimeRange) => Promise<boolean>;
}

/**
 * Counts all spans of both sides from small columns, and reads the attributes of a sample of each side. The sample is
 * spread over the whole time range, so that the end of the range does not dominate.
 */
export async function comparePopulations(
  query: PopulationComparisonQuery,
  { rowsOf, database, tenant, areRepeatedIn }: PopulationStore,
): Promise<PopulationComparison> {
  const maxSpans = checkPopulations(query);
  const [timeA, timeB] = [timeOfPopulation(query.a), timeOfPopulation(query.b)];
  const areRepeated = (await areRepeatedIn(timeA)) || (await areRepeatedIn(timeB));
  const source = { database, tenant, areRepeated };
  const rows = await rowsOf<BucketRow>(populationSql(query, source));
  const cells = rows.map(
    ({ isA, bucket, spans, errors, durationNano, longestNano }): Cell => [
      ...([isA, bucket, spans, errors, durationNano, longestNano] as const),
    ],
  );
  const all = { a: populationOf(cells, true), b: populationOf(cells, false) };
  if (all.a.spans + all.b.spans === 0) {
    const none = { spans: 0, errors: 0, durationNano: 0 };
    return { ...all, operations: [], sample: { a: none, b: none }, attributes: [] };
  }
  const found = await rowsOf<OperationRow>(comparedOperationsSql(query, all, source));
  const operations = found.map(({ cells: own, ...operation }) => ({
    ...operation,
    ...{ a: populationOf(own, true), b: populationOf(own, false) },
  }));
  const stripes = {
    a: stripesOf(timeA, all.a.spans, maxSpans),
    b: stripesOf(timeB, all.b.spans, maxSpans),
  };
  const attributes = await rowsOf<AttributeRow>(
    comparedAttributesSql({ ...query, maxSpans }, stripes, source),
  );
  const total = attributes.find(({ place }) => place === "total");
  const sample = sidesOf(total);
  const values = attributes.flatMap((row) =>
    row.place === "total" ? [] : [{ place: row.place, key: row.key, value: row.value, ...sidesOf(row) }],
  );
  return {
    ...all,
    operations: rankedOperations(operations, all, query.limit),
    ...{ sample, attributes: rankedAttributes(values, sample, query.limit) },
  };
}

function populationOf(cells: readonly Cell[], isA: boolean): Population {
  let [spans, errors, durationNano, longestNano] = [0, 0, 0, 0];
  const buckets: [number, number][] = [];
  for (const [ofA, bucket, count, failed, nanos, longest] of cells) {
    if (Boolean(ofA) !== isA) {
      continue;
    }
    spans += count;
    errors += failed;
    durationNano += nanos;
    longestNano = Math.max(longestNano, longest);
    buckets.push([bucket, count]);
  }
  buckets.sort(([one], [other]) => one - other);
  return { spans, errors, durationNano, buckets, longestNano };
}

function sidesOf(row: AttributeRow | undefined): Pick<ComparedAttribute, "a" | "b"> {
  return {
    a: { spans: row?.a_spans ?? 0, errors: row?.a_errors ?? 0, durationNano: row?.a_nanos ?? 0 },
    b: { spans: row?.b_spans ?? 0, errors: row?.b_errors ?? 0, durationNano: row?.b_nanos ?? 0 },
  };
}

import type { Field, MetricsAggregate } from "traceql";
import type { AttributeValue } from "wire/model";
import { AdjustedSum, countOf } from "../api/adjusted-counts.ts";
import { floatBucket } from "../api/float-buckets.ts";
import type { TraceQlExemplar, TraceQlGroup } from "../api/traceql-reader.ts";
import { type FieldEvaluator, fieldReader } from "./field-evaluator.ts";
import { groupKey } from "./pipeline-evaluator.ts";
import type { QueryFields } from "./query-fields.ts";
import { isNumber, type QueryValue } from "./query-value.ts";
import { shownValue } from "./trace-match.ts";
import type { SpanView } from "./trace-view.ts";

/** Result for the spans of one group in one interval. */
export interface MetricRow {
  /** Values of `by(…)`, in order. */
  readonly group: readonly AttributeValue[];
  /** Index of the interval, as `intervalOf` counts. It ends `interval` steps after the Unix epoch. */
  readonly interval: bigint;
  /**
   * Number of spans; with a field, only spans with a number in that field. In an adjusted query, `count`, `sum` and
   * `buckets` refer to original spans instead of stored spans.
   */
  count: number;
  /** Sum of the field's numbers; durations in nanoseconds. */
  sum: number;
  min: number;
  max: number;
  /** Number of spans by `floatBucket`, for quantiles and histograms only. */
  readonly buckets: Map<number, number>;
  exemplar?: TraceQlExemplar;
}

/** Sums over all intervals, for each group. */
export function groupsOfRows(rows: readonly MetricRow[]): TraceQlGroup[] {
  const groups = new Map<
    string,
    { values: readonly AttributeValue[]; spans: number; greatest: number; buckets: Map<number, number> }
  >();
  for (const { group, count, max, buckets } of rows) {
    const key = JSON.stringify(group, (_key, part: unknown) =>
      typeof part === "bigint" ? `int ${part}` : part,
    );
    const own = groups.get(key) ?? {
      values: group,
      spans: 0,
      greatest: Number.NEGATIVE_INFINITY,
      buckets: new Map(),
    };
    groups.set(key, own);
    own.spans += count;
    own.greatest = Math.max(own.greatest, max);
    for (const [bucket, spans] of buckets) {
      own.buckets.set(bucket, (own.buckets.get(bucket) ?? 0) + spans);
    }
  }
  return [...groups.values()];
}

/** True for functions that need a histogram: spans counted by bucket of the value. */
export function wantsBuckets({ function: name }: MetricsAggregate): boolean {
  return name === "quantile_over_time" || name === "histogram_over_time";
}

/** Index of the interval that contains a time. Intervals end at multiples of the step and include their end. */
export function intervalOf(unixNano: bigint, stepNano: bigint): bigint {
  const quotient = unixNano / stepNano;
  const isMultiple = quotient * stepNano === unixNano;
  return isMultiple || unixNano < 0n ? quotient : quotient + 1n;
}

/** Adds up spans into rows. */
export class MetricRows {
  readonly #by: readonly (readonly [field: Field, read: FieldEvaluator])[];
  readonly #value: FieldEvaluator | undefined;
  readonly #wantsBuckets: boolean;
  readonly #stepNano: bigint;
  readonly #rows = new Map<string, MetricRow>();
  /** Estimated number of original spans behind the counted spans. */
  readonly adjusted = new AdjustedSum();
  /** Number of counted spans. */
  spans = 0;

  constructor(aggregate: MetricsAggregate, fields: QueryFields, stepNano: bigint) {
    this.#by = aggregate.by.map((field) => [field, fieldReader(field, fields)]);
    this.#value = aggregate.field === undefined ? undefined : fieldReader(aggregate.field, fields);
    this.#wantsBuckets = wantsBuckets(aggregate);
    this.#stepNano = stepNano;
  }

  get rows(): MetricRow[] {
    return [...this.#rows.values()];
  }

  add(span: SpanView): void {
    const value = this.#value?.(span);
    if (this.#value !== undefined && !isNumber(value)) {
      return;
    }
    const number = isNumber(value) ? Number(value) : 0;
    const values = this.#by.map(([field, read]) => labelValue(field, read(span)));
    const interval = intervalOf(span.facts.startUnixNano, this.#stepNano);
    const key = `${interval} ${values.map(([text]) => text).join(" ")}`;
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = {
        ...{ group: values.map(([, label]) => label), interval, count: 0, sum: 0 },
        ...{ min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY, buckets: new Map() },
      };
      this.#rows.set(key, row);
    }
    const each = span.facts.adjustedCount;
    const count = each === undefined ? 1 : countOf(each);
    this.spans++;
    this.adjusted.add(1, each ?? 1);
    row.count += count;
    row.sum += number * count;
    if (number < row.min) {
      row.min = number;
    }
    if (number > row.max) {
      row.max = number;
    }
    if (this.#wantsBuckets) {
      const bucket = floatBucket(number);
      row.buckets.set(bucket, (row.buckets.get(bucket) ?? 0) + count);
    }
    const { spanId, startUnixNano } = span.facts;
    row.exemplar ??= { traceId: span.trace.traceId, spanId, unixNano: startUnixNano, value: number };
  }
}

function labelValue(field: Field, value: QueryValue): readonly [key: string, label: AttributeValue] {
  return [groupKey(value), shownValue(field, value)];
}

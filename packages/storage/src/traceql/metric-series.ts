import {
  type Field,
  intrinsicType,
  type MetricsAggregate,
  type MetricsComparison,
  type MetricsExpression,
  type MetricsMath,
  type MetricsPipeline,
  printField,
  type SecondStage,
} from "traceql";
import type { AttributeValue } from "wire/model";
import { floatQuantile, powerOfTwoAbove } from "../api/float-buckets.ts";
import type {
  TraceQlAttribute,
  TraceQlExemplar,
  TraceQlMetricsQuery,
  TraceQlSample,
  TraceQlSeries,
} from "../api/traceql-reader.ts";
import { compare } from "./compare-values.ts";
import { type ComparisonRow, comparisonSeries } from "./comparison-series.ts";
import { intervalOf, type MetricRow } from "./metric-rows.ts";

/** Reads the rows of one pipeline of the query. */
export type ReadMetricRows = (pipeline: MetricsPipeline) => Promise<readonly MetricRow[]>;

export type ReadComparisonRows = (comparison: MetricsComparison) => Promise<readonly ComparisonRow[]>;

export type TimeRequest = Pick<TraceQlMetricsQuery, "range" | "stepNano">;

/** Computes the series of a metrics expression, ordered by labels. */
export async function metricSeries(
  expression: MetricsExpression,
  request: TimeRequest,
  read: ReadMetricRows,
  readComparison: ReadComparisonRows,
): Promise<TraceQlSeries[]> {
  const series =
    expression.type === "metrics-comparison"
      ? comparisonSeries(expression, await readComparison(expression), (rows) => dense(rows, request, 1))
      : await seriesOf(expression, request, read);
  return series.sort((one, other) => byText(labelsKey(one), labelsKey(other)));
}

async function seriesOf(
  expression: Exclude<MetricsExpression, MetricsComparison>,
  request: TimeRequest,
  read: ReadMetricRows,
): Promise<TraceQlSeries[]> {
  switch (expression.type) {
    case "static":
      return [];
    case "metrics-pipeline":
      return afterSecondStages(
        pipelineSeries(expression, request, await read(expression)),
        expression.secondStages,
      );
    case "metrics-math": {
      const left = await seriesOf(expression.left, request, read);
      const right = await seriesOf(expression.right, request, read);
      return afterSecondStages(calculatedSeries(expression, left, right), expression.secondStages);
    }
  }
}

function pipelineSeries(
  { aggregate }: MetricsPipeline,
  request: TimeRequest,
  rows: readonly MetricRow[],
): TraceQlSeries[] {
  const groups = Map.groupBy(rows, ({ group }) =>
    JSON.stringify(group, (_key, part: unknown) => (typeof part === "bigint" ? `int ${part}` : part)),
  );
  return [...groups.values()].flatMap((ofGroup) => {
    const group = ofGroup[0]?.group ?? [];
    const labels = aggregate.by.map(
      (field, index): TraceQlAttribute => [printField(field), group[index] ?? { type: "empty" }],
    );
    return groupSeries(aggregate, labelsWithValues(labels), ofGroup, request);
  });
}

/** Removes labels without a value. If no label has a value, the first one stays, as in Tempo. */
function labelsWithValues(labels: readonly TraceQlAttribute[]): readonly TraceQlAttribute[] {
  const found = labels.filter(([, { type }]) => type !== "empty");
  return found.length > 0 ? found : labels.slice(0, 1);
}

function groupSeries(
  aggregate: MetricsAggregate,
  groupLabels: readonly TraceQlAttribute[],
  rows: readonly MetricRow[],
  request: TimeRequest,
): TraceQlSeries[] {
  const { function: name, field } = aggregate;
  const scale = field !== undefined && isDuration(field) ? 1e9 : 1;
  const labels: readonly TraceQlAttribute[] =
    groupLabels.length > 0 ? groupLabels : [["__name__", { type: "string", value: name }]];
  const exemplars = rows
    .flatMap(({ exemplar }) =>
      exemplar === undefined ? [] : [{ ...exemplar, value: exemplar.value / scale }],
    )
    .sort((one, other) => (one.unixNano < other.unixNano ? -1 : one.unixNano > other.unixNano ? 1 : 0));
  const one = (samples: TraceQlSample[]): TraceQlSeries[] => [{ labels, samples, exemplars }];
  const sparse = (value: (row: MetricRow) => number) =>
    [...rows]
      .sort((a, b) => (a.interval < b.interval ? -1 : 1))
      .map((row) => ({ unixNano: row.interval * request.stepNano, value: value(row) }));
  switch (name) {
    case "rate":
      return one(dense(rows, request, Number(request.stepNano) / 1e9));
    case "count_over_time":
      return one(dense(rows, request, 1));
    case "min_over_time":
      return one(sparse(({ min }) => min / scale));
    case "max_over_time":
      return one(sparse(({ max }) => max / scale));
    case "sum_over_time":
      return one(sparse(({ sum }) => sum / scale));
    case "avg_over_time":
      return one(sparse(({ sum, count }) => sum / count / scale));
    case "quantile_over_time":
      return aggregate.quantiles.map((quantile) => ({
        labels: [...groupLabels, ["p", { type: "double", value: quantile }]],
        samples: sparse(({ buckets }) => floatQuantile(buckets, quantile) / scale),
        exemplars,
      }));
    case "histogram_over_time":
      return histogram(groupLabels, rows, { request, scale, exemplars });
  }
}

/** Step, scale and exemplars of a histogram. */
interface HistogramShape {
  readonly request: TimeRequest;
  /** Divisor from stored values to shown values, such as 1e9 from nanoseconds to seconds. */
  readonly scale: number;
  /** Exemplars for all series. */
  readonly exemplars: readonly TraceQlExemplar[];
}

function histogram(
  groupLabels: readonly TraceQlAttribute[],
  rows: readonly MetricRow[],
  { request, scale, exemplars }: HistogramShape,
): TraceQlSeries[] {
  const byBound = new Map<number, MetricRow[]>();
  for (const row of rows) {
    const counts = new Map<number, number>();
    for (const [bucket, count] of row.buckets) {
      const bound = powerOfTwoAbove(bucket);
      counts.set(bound, (counts.get(bound) ?? 0) + count);
    }
    for (const [bound, count] of counts) {
      const own = { ...row, count };
      const others = byBound.get(bound);
      if (others === undefined) {
        byBound.set(bound, [own]);
      } else {
        others.push(own);
      }
    }
  }
  return [...byBound].map(([bound, ofBound]) => ({
    labels: [...groupLabels, ["__bucket", { type: "double", value: bound / scale }]],
    samples: dense(ofBound, request, 1),
    exemplars: exemplars.filter(({ value }) => value <= bound / scale && value >= bound / scale / 2),
  }));
}

/** One sample for each interval of the range; 0 for an interval without spans. */
function dense(
  rows: readonly Pick<MetricRow, "interval" | "count">[],
  { range, stepNano }: TimeRequest,
  per: number,
): TraceQlSample[] {
  const counts = new Map<bigint, number>();
  for (const { interval, count } of rows) {
    counts.set(interval, (counts.get(interval) ?? 0) + count);
  }
  const samples: TraceQlSample[] = [];
  const last = intervalOf(range.endUnixNano, stepNano);
  for (let interval = intervalOf(range.startUnixNano, stepNano); interval <= last; interval++) {
    samples.push({ unixNano: interval * stepNano, value: (counts.get(interval) ?? 0) / per });
  }
  return samples;
}

function isDuration(field: Field): boolean {
  return field.type === "intrinsic" && intrinsicType(field.name) === "duration";
}

function afterSecondStages(
  series: readonly TraceQlSeries[],
  stages: readonly SecondStage[],
): TraceQlSeries[] {
  let result = [...series];
  for (const stage of stages) {
    result =
      stage.type === "metrics-filter"
        ? keptSamples(result, ({ value }) => compare(stage.operator, value, stage.value))
        : ranked(result, stage.limit, stage.type === "topk" ? -1 : 1);
  }
  return result;
}

/** Removes samples, and series that have no samples left. */
function keptSamples(
  series: readonly TraceQlSeries[],
  keep: (sample: TraceQlSample, series: TraceQlSeries) => boolean,
): TraceQlSeries[] {
  return series
    .map((each) => ({ ...each, samples: each.samples.filter((sample) => keep(sample, each)) }))
    .filter(({ samples }) => samples.length > 0);
}

/**
 * For each time, keeps the first `limit` series. Equal values are ordered by labels. @param direction 1: smallest value
 * first; -1: largest value first
 */
function ranked(series: readonly TraceQlSeries[], limit: number, direction: 1 | -1): TraceQlSeries[] {
  const atTime = new Map<bigint, { readonly value: number; readonly of: TraceQlSeries }[]>();
  const inOrder = [...series].sort((one, other) => byText(labelsKey(one), labelsKey(other)));
  for (const each of inOrder) {
    for (const { unixNano, value } of each.samples) {
      const others = atTime.get(unixNano);
      if (others === undefined) {
        atTime.set(unixNano, [{ value, of: each }]);
      } else {
        others.push({ value, of: each });
      }
    }
  }
  const kept = new Map<bigint, Set<TraceQlSeries>>();
  for (const [unixNano, values] of atTime) {
    values.sort((one, other) => (one.value - other.value) * direction);
    kept.set(unixNano, new Set(values.slice(0, limit).map(({ of }) => of)));
  }
  return keptSamples(inOrder, ({ unixNano }, each) => kept.get(unixNano)?.has(each) === true);
}

/** Computes new samples. Samples without a finite result are removed. */
function calculatedSeries(
  { operator, left, right }: MetricsMath,
  ofLeft: readonly TraceQlSeries[],
  ofRight: readonly TraceQlSeries[],
): TraceQlSeries[] {
  const result = (one: number, other: number) =>
    operator === "+"
      ? one + other
      : operator === "-"
        ? one - other
        : operator === "*"
          ? one * other
          : one / other;
  const each = (series: readonly TraceQlSeries[], value: (own: number) => number) =>
    keptSamples(
      series.map((own) => ({
        ...own,
        samples: own.samples.map((sample) => ({ ...sample, value: value(sample.value) })),
      })),
      ({ value: own }) => Number.isFinite(own),
    );
  if (left.type === "static") {
    return each(ofRight, (own) => result(Number(left.value.value), own));
  }
  if (right.type === "static") {
    return each(ofLeft, (own) => result(own, Number(right.value.value)));
  }
  const others = new Map(ofRight.map((series) => [labelsKey(series), series]));
  const joined = ofLeft.flatMap((series) => {
    const other = others.get(labelsKey(series));
    if (other === undefined) {
      return [];
    }
    const values = new Map(other.samples.map(({ unixNano, value }) => [unixNano, value]));
    const samples = series.samples.flatMap(({ unixNano, value }) => {
      const second = values.get(unixNano);
      return second === undefined ? [] : [{ unixNano, value: result(value, second) }];
    });
    return [
      { labels: series.labels.filter(([key]) => key !== "__name__"), samples, exemplars: series.exemplars },
    ];
  });
  return keptSamples(joined, ({ value }) => Number.isFinite(value));
}

/** A text that is equal for series with equal labels, even from different functions. */
function labelsKey({ labels }: TraceQlSeries): string {
  const texts = labels
    .filter(([key]) => key !== "__name__")
    .map(([key, value]): [string, AttributeValue] => [key, value]);
  return JSON.stringify(texts, (_key, part: unknown) => (typeof part === "bigint" ? `int ${part}` : part));
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/**
 * Keeps the largest series, by the sum of their samples.
 * @returns the series, and true if some were removed
 */
export function largestSeries(
  series: readonly TraceQlSeries[],
  limit: number,
): { readonly series: readonly TraceQlSeries[]; readonly truncated: boolean } {
  if (series.length <= limit) {
    return { series, truncated: false };
  }
  const sums = new Map(
    series.map((each) => [each, each.samples.reduce((sum, { value }) => sum + value, 0)] as const),
  );
  const largest = new Set(
    [...sums]
      .sort(([, one], [, other]) => other - one)
      .slice(0, limit)
      .map(([each]) => each),
  );
  return { series: series.filter((each) => largest.has(each)), truncated: true };
}

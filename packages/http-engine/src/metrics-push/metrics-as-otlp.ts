import { type HrTime, ValueType } from "@opentelemetry/api";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type MetricData,
} from "@opentelemetry/sdk-metrics";
import type { MetricObjectWithValues, MetricValue } from "@prometheus-io/client";
import { publicMetricName } from "lifecycle";

export type MetricOfRegistry = MetricObjectWithValues<MetricValue<string>>;

/** The period in which values were counted. */
export interface Period {
  /** Start of the process: counters are cumulative since this time. */
  readonly startTime: HrTime;
  /** Time when the counters were read. */
  readonly endTime: HrTime;
}

interface Buckets {
  /** Upper bounds of the buckets, ascending. The last bucket has no bound. */
  readonly boundaries: number[];
  /** Number of values up to each boundary, and the total as the last element. */
  readonly upTo: number[];
}

interface HistogramParts extends Buckets {
  /** Labels of the series. */
  readonly attributes: Record<string, string | number>;
  /** Sum of all observations. */
  sum: number;
  /** Number of observations. */
  count: number;
}

type Labels = Record<string, string | number>;

/** Labels of a value. The registry omits `labels` for the sum of a summary without labels. */
const labelsOf = (value: MetricValue<string>): Labels => (value.labels as Labels | undefined) ?? {};
const asText = (labels: Labels): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));

/** Counts per bucket, for OTLP, from the cumulative counts of the registry: `[2, 5, 6]` becomes `[2, 3, 1]`. */
function bucketCounts({ upTo }: Buckets): number[] {
  return upTo.map((count, index) => count - (upTo[index - 1] ?? 0));
}

function histogramPoints(metric: MetricOfRegistry, period: Period) {
  const byLabels = new Map<string, HistogramParts>();
  for (const value of metric.values) {
    const { le, ...labels } = labelsOf(value);
    const attributes = asText(labels);
    const key = JSON.stringify(Object.entries(attributes).toSorted());
    let parts = byLabels.get(key);
    if (parts === undefined) {
      parts = { attributes, boundaries: [], upTo: [], sum: 0, count: 0 };
      byLabels.set(key, parts);
    }
    const { metricName } = value as { metricName?: string };
    if (metricName === `${metric.name}_sum`) {
      parts.sum = value.value;
    } else if (metricName === `${metric.name}_count`) {
      parts.count = value.value;
    } else {
      parts.upTo.push(value.value);
      if (le !== "+Inf") {
        parts.boundaries.push(Number(le));
      }
    }
  }
  return [...byLabels.values()].map((parts) => ({
    ...period,
    attributes: parts.attributes,
    value: {
      buckets: { boundaries: parts.boundaries, counts: bucketCounts(parts) },
      sum: parts.sum,
      count: parts.count,
    },
  }));
}

function points(values: readonly MetricValue<string>[], period: Period): DataPoint<number>[] {
  return values.map((value) => ({ ...period, attributes: asText(labelsOf(value)), value: value.value }));
}

/** Selects the values of one part of a summary. @param ending `_sum` or `_count`; "" for the quantiles */
function summaryPart(metric: MetricOfRegistry, ending: string): MetricValue<string>[] {
  return metric.values.filter(
    (value) => ((value as { metricName?: string }).metricName ?? metric.name) === `${metric.name}${ending}`,
  );
}

function metricData(metric: MetricOfRegistry, name: string, period: Period): MetricData[] {
  const base = (named: string) => ({
    descriptor: { name: named, description: metric.help, unit: "", valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  });
  const sum = (named: string, values: readonly MetricValue<string>[]): MetricData => ({
    ...base(named),
    dataPointType: DataPointType.SUM,
    isMonotonic: true,
    dataPoints: points(values, period),
  });
  const gauge = (values: readonly MetricValue<string>[]): MetricData => ({
    ...base(name),
    dataPointType: DataPointType.GAUGE,
    dataPoints: points(values, period),
  });
  // The library declares a number, but the value is a word.
  switch (String(metric.type)) {
    case "counter":
      return [sum(name, metric.values)];
    case "histogram":
      return [
        {
          ...base(name),
          dataPointType: DataPointType.HISTOGRAM,
          dataPoints: histogramPoints(metric, period),
        },
      ];
    case "summary":
      return [
        gauge(summaryPart(metric, "")),
        sum(`${name}_sum`, summaryPart(metric, "_sum")),
        sum(`${name}_count`, summaryPart(metric, "_count")),
      ];
    default:
      return [gauge(metric.values)];
  }
}

/**
 * Converts the registry's metrics to OTLP, under the names of `/metrics`, including Caddy's names. Counters
 * become monotonic sums, and histograms have explicit buckets; both count from the start of the process. The exporter
 * has no summaries, so quantiles become a gauge, and `_sum` and `_count` become sums. Metrics without values are left
 * out.
 */
export function metricsAsOtlp(metrics: readonly MetricOfRegistry[], period: Period): MetricData[] {
  return metrics.flatMap((metric) => {
    if (metric.values.length === 0) {
      return [];
    }
    const publicName = publicMetricName(metric.name);
    const again = publicName === undefined ? [] : metricData(metric, publicName, period);
    return [...metricData(metric, metric.name, period), ...again];
  });
}

import type { MetricSeries } from "storage/api";
import { type Metric, MetricFamily, MetricType } from "wire/metrics-query";

/** The values of a family: calls a second, shares of failed calls, or a quantile of durations. */
export type MetricKind =
  | { readonly kind: "calls" | "errors" }
  | { readonly kind: "latencies"; readonly quantile: number };

// Points have milliseconds; protobuf's times have nanoseconds.
const nanosPerMs = 1_000_000;

/** Jaeger's exact texts: its UI and dashboards search for the names. */
function nameAndHelp(metric: MetricKind): [name: string, help: string] {
  switch (metric.kind) {
    case "calls":
      return ["service_call_rate", "calls/sec, grouped by service"];
    case "errors":
      return [
        "service_error_rate",
        "error rate, computed as a fraction of errors/sec over calls/sec, grouped by service",
      ];
    case "latencies":
      return ["service_latencies", `${metric.quantile.toFixed(2)}th quantile latency, grouped by service`];
  }
}

/** One series as a metric with its points. Labels have Jaeger's order. */
function metricOf({ service, operation, points }: MetricSeries): Metric {
  return {
    labels: [
      ...(operation === undefined ? [] : [{ name: "operation", value: operation }]),
      { name: "service_name", value: service },
    ],
    metricPoints: points.map(({ unixMs, value }) => ({
      value: {
        $case: "gaugeValue",
        value: { value: { $case: "doubleValue", value } },
      },
      timestamp: {
        seconds: BigInt(Math.floor(unixMs / 1_000)),
        nanos: (unixMs - Math.floor(unixMs / 1_000) * 1_000) * nanosPerMs,
      },
    })),
  };
}

/**
 * Converts series to the family of gauges that Jaeger's UI reads, with its names.
 *
 * ```
 * calls of shop and db, not by operation  →  service_call_rate, two metrics with the label service_name
 * the same by operation                   →  service_operation_call_rate, labels operation and service_name
 * ```
 */
export function metricFamilyOf(
  metric: MetricKind,
  series: readonly MetricSeries[],
  groupByOperation: boolean,
): MetricFamily {
  const [name, help] = nameAndHelp(metric);
  return MetricFamily.fromPartial({
    name: groupByOperation ? name.replace("service", "service_operation") : name,
    type: MetricType.GAUGE,
    help: groupByOperation ? `${help} & operation` : help,
    metrics: series.map(metricOf),
  });
}

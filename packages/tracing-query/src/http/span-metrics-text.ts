import { bucketBoundsMs, type SpanCounter, tempoBoundsMs } from "../service/span-counters.ts";
import { connectorBoundsMs } from "../span-metric-bounds.ts";
import { histogramText, labelsText, metricHead } from "./prometheus-text.ts";

/** Names and units of one naming scheme of span metrics. */
interface SpanMetricNames {
  /** Name of the counter. */
  readonly calls: string;
  /** Name of the histogram. */
  readonly duration: string;
  /** Label with the service's name. */
  readonly service: string;
  /** Upper bounds of the buckets, in milliseconds. */
  readonly boundsMs: readonly number[];
  /** Unit of the written durations, in milliseconds. */
  readonly unitMs: number;
}

/** The names of OpenTelemetry's span metrics connector. */
export const connectorNames: SpanMetricNames = {
  calls: "traces_span_metrics_calls_total",
  duration: "traces_span_metrics_duration_milliseconds",
  service: "service_name",
  boundsMs: connectorBoundsMs,
  unitMs: 1,
};

/** The names of Tempo's metrics-generator. */
export const tempoNames: SpanMetricNames = {
  calls: "traces_spanmetrics_calls_total",
  duration: "traces_spanmetrics_latency",
  service: "service",
  boundsMs: tempoBoundsMs,
  unitMs: 1_000,
};

/**
 * Writes counters of spans in Prometheus text, in pieces.
 *
 * ```
 * # HELP traces_span_metrics_calls_total Spans.
 * # TYPE traces_span_metrics_calls_total counter
 * traces_span_metrics_calls_total{service_name="shop",span_name="GET /",span_kind="SPAN_KIND_SERVER",status_code="STATUS_CODE_UNSET"} 2
 * ```
 */
export function* spanMetricsText(
  counters: readonly SpanCounter[],
  { calls, duration, service, boundsMs, unitMs }: SpanMetricNames,
): Generator<string> {
  const labelsOf = (counter: SpanCounter) =>
    labelsText({
      [service]: counter.service,
      span_name: counter.operation,
      span_kind: `SPAN_KIND_${counter.spanKind.toUpperCase()}`,
      status_code: counter.failed ? "STATUS_CODE_ERROR" : "STATUS_CODE_UNSET",
    });
  yield metricHead(calls, "counter", "Spans.");
  for (const counter of counters) {
    yield `${calls}{${labelsOf(counter)}} ${counter.calls}\n`;
  }
  yield metricHead(duration, "histogram", "How long spans last.");
  for (const counter of counters) {
    yield histogramText(
      duration,
      labelsOf(counter),
      { ...counter, boundsMs: bucketBoundsMs },
      { shown: boundsMs, unitMs },
    );
  }
}

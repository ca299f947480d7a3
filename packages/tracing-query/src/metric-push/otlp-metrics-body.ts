import { ExportMetricsServiceRequest } from "wire/metrics-push";
import { connectorBoundsMs } from "../span-metric-bounds.ts";
import type { SpanExemplar } from "./exemplars.ts";
import type { SpanSeries } from "./span-series.ts";

/** Temporality of counters that only grow. */
const cumulative = 2;

/**
 * The body of OTLP metrics over HTTP: one counter and one histogram, with the names and attributes of OpenTelemetry's
 * span metrics connector.
 * @param startUnixMs begin of the counters @param unixMs time of the values
 */
export function otlpMetricsBody(
  series: readonly SpanSeries[],
  { startUnixMs, unixMs }: { readonly startUnixMs: number; readonly unixMs: number },
): Buffer {
  const times = { startTimeUnixNano: nanos(startUnixMs), timeUnixNano: nanos(unixMs) };
  const calls = series.map((one) => ({
    attributes: attributesOf(one),
    ...times,
    value: { $case: "asInt", value: BigInt(Math.round(one.calls)) } as const,
    exemplars: [],
  }));
  const durations = series.map((one) => ({
    attributes: attributesOf(one),
    ...times,
    count: BigInt(Math.round(one.calls)),
    sum: one.durationMs,
    bucketCounts: one.buckets.map((count) => BigInt(Math.round(count))),
    explicitBounds: [...connectorBoundsMs],
    exemplars: [...one.exemplars.values()].map(exemplarOf),
  }));
  const request = {
    resourceMetrics: [
      {
        resource: { attributes: [attribute("service.name", "tracing-query")], droppedAttributesCount: 0 },
        scopeMetrics: [
          {
            scope: { name: "tracing-query", version: "", attributes: [], droppedAttributesCount: 0 },
            metrics: [
              metric("traces.span.metrics.calls", "1", {
                $case: "sum",
                value: { dataPoints: calls, aggregationTemporality: cumulative, isMonotonic: true },
              }),
              metric("traces.span.metrics.duration", "ms", {
                $case: "histogram",
                value: { dataPoints: durations, aggregationTemporality: cumulative },
              }),
            ],
            schemaUrl: "",
          },
        ],
        schemaUrl: "",
      },
    ],
  };
  return Buffer.from(ExportMetricsServiceRequest.encode(request).finish());
}

type Metric =
  ExportMetricsServiceRequest["resourceMetrics"][number]["scopeMetrics"][number]["metrics"][number];

function metric(name: string, unit: string, data: NonNullable<Metric["data"]>): Metric {
  return { name, description: "", unit, data };
}

function attributesOf({ service, operation, spanKind, statusCode }: SpanSeries) {
  return [
    attribute("service.name", service),
    attribute("span.name", operation),
    attribute("span.kind", spanKind),
    attribute("status.code", statusCode),
  ];
}

function attribute(key: string, value: string) {
  return { key, value: { value: { $case: "stringValue", value } as const } };
}

function exemplarOf({ traceId, spanId, durationMs, startUnixMs }: SpanExemplar) {
  return {
    timeUnixNano: nanos(startUnixMs),
    value: { $case: "asDouble", value: durationMs } as const,
    spanId: Buffer.from(spanId, "hex"),
    traceId: Buffer.from(traceId, "hex"),
  };
}

function nanos(unixMs: number): bigint {
  return BigInt(Math.round(unixMs)) * 1_000_000n;
}

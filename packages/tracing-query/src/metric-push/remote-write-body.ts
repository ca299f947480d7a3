import { compressSnappy, type TimeSeries, WriteRequest } from "wire/metrics-push";
import { connectorBoundsMs } from "../span-metric-bounds.ts";
import type { SpanExemplar } from "./exemplars.ts";
import type { SpanSeries } from "./span-series.ts";

const callsName = "traces_span_metrics_calls_total";
const durationName = "traces_span_metrics_duration_milliseconds";

/** Types of `MetricMetadata`. */
const [counterType, histogramType] = [1, 3];

/**
 * The body of Prometheus remote write, version 1: protobuf in a block of snappy. Names are those of the endpoint
 * `/api/metrics/prometheus`.
 * @param unixMs time of the samples
 */
export function remoteWriteBody(series: readonly SpanSeries[], unixMs: number): Buffer {
  const request = {
    timeseries: series.flatMap((one) => timeSeriesOf(one, BigInt(unixMs))),
    metadata: [
      { type: counterType, metricFamilyName: callsName, help: "Spans.", unit: "" },
      { type: histogramType, metricFamilyName: durationName, help: "How long spans last.", unit: "" },
    ],
  };
  return compressSnappy(WriteRequest.encode(WriteRequest.fromPartial(request)).finish());
}

function timeSeriesOf(series: SpanSeries, timestamp: bigint): TimeSeries[] {
  const labels = {
    service_name: series.service,
    span_name: series.operation,
    span_kind: series.spanKind,
    status_code: series.statusCode,
  };
  const sample = (
    name: string,
    value: number,
    { le, exemplar }: { le?: string; exemplar?: SpanExemplar | undefined } = {},
  ): TimeSeries => ({
    labels: sorted({ __name__: name, ...labels, ...(le === undefined ? {} : { le }) }),
    samples: [{ value, timestamp }],
    exemplars: exemplar === undefined ? [] : [exemplarOf(exemplar)],
  });
  let below = 0;
  const buckets = series.buckets.map((calls, index) => {
    below += calls;
    const bound = connectorBoundsMs[index];
    const le = bound === undefined ? "+Inf" : String(bound);
    return sample(`${durationName}_bucket`, below, { le, exemplar: series.exemplars.get(index) });
  });
  return [
    sample(callsName, series.calls),
    ...buckets,
    sample(`${durationName}_sum`, series.durationMs),
    sample(`${durationName}_count`, series.calls),
  ];
}

function exemplarOf({
  traceId,
  spanId,
  durationMs,
  startUnixMs,
}: SpanExemplar): TimeSeries["exemplars"][number] {
  return {
    labels: sorted({ span_id: spanId, trace_id: traceId }),
    value: durationMs,
    timestamp: BigInt(startUnixMs),
  };
}

/** Receivers refuse labels that are not sorted. A label without a value is the same as none. */
function sorted(labels: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(labels)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => ({ name, value }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

import { connectorBoundsMs } from "../span-metric-bounds.ts";
import type { SpanExemplar } from "./exemplars.ts";
import type { SpanSeries } from "./span-series.ts";

/** A metric family. The types of remote write are numbers: 1 for a counter, 3 for a histogram. */
export interface MetricFamily {
  readonly name: string;
  readonly type: 1 | 3;
  readonly help: string;
}

const calls: MetricFamily = { name: "traces_span_metrics_calls_total", type: 1, help: "Spans." };
const durations: MetricFamily = {
  name: "traces_span_metrics_duration_milliseconds",
  type: 3,
  help: "How long spans last.",
};

/** Names and values of labels, sorted by name. Receivers refuse unsorted labels. */
export type SortedLabels = readonly (readonly [name: string, value: string])[];

/** A sample with its labels, before it is encoded. */
export interface SpanSample {
  readonly family: MetricFamily;
  readonly labels: SortedLabels;
  readonly value: number;
  readonly exemplar: SpanExemplar | undefined;
}

/** The samples of a series: calls, the buckets of the durations, their sum and count. */
export function samplesOf(series: SpanSeries): SpanSample[] {
  const common = {
    service_name: series.service,
    span_name: series.operation,
    span_kind: series.spanKind,
    status_code: series.statusCode,
  };
  const sample = (
    family: MetricFamily,
    {
      suffix = "",
      value,
      ...rest
    }: { suffix?: string; value: number; le?: string; exemplar?: SpanExemplar | undefined },
  ): SpanSample => ({
    family,
    value,
    labels: sortedLabels({
      __name__: `${family.name}${suffix}`,
      ...common,
      ...(rest.le === undefined ? {} : { le: rest.le }),
    }),
    exemplar: rest.exemplar,
  });
  let below = 0;
  const buckets = series.buckets.map((count, index) => {
    below += count;
    const bound = connectorBoundsMs[index];
    const le = bound === undefined ? "+Inf" : String(bound);
    return sample(durations, { suffix: "_bucket", value: below, le, exemplar: series.exemplars.get(index) });
  });
  return [
    sample(calls, { value: series.calls }),
    ...buckets,
    sample(durations, { suffix: "_sum", value: series.durationMs }),
    sample(durations, { suffix: "_count", value: series.calls }),
  ];
}

export function exemplarLabels({ traceId, spanId }: SpanExemplar): SortedLabels {
  return sortedLabels({ span_id: spanId, trace_id: traceId });
}

/** Sorts labels by name. Labels with an empty value are dropped, because they mean the same as no label. */
function sortedLabels(labels: Readonly<Record<string, string>>): SortedLabels {
  return Object.entries(labels)
    .filter(([, value]) => value !== "")
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

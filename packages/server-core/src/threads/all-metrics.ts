import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from "@prometheus-io/client";
import { withPublicMetricNames } from "lifecycle";
import type { ThreadMessages } from "./thread-messages.ts";

/** Topic by which a worker tells its metrics. */
export const collectTopic = "metrics.collect";

/** A form of metrics: Prometheus text 0.0.4, or OpenMetrics 1.0. */
export type MetricsForm = "prometheus" | "openmetrics";

/** The media type of a form. */
export const metricsTypes: Readonly<Record<MetricsForm, string>> = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** The metrics of all threads: those of the workers are added up, public names are added. */
export async function allMetrics(
  metrics: Registry,
  messages: ThreadMessages,
  form: MetricsForm = "prometheus",
): Promise<string> {
  const ofWorkers = await messages.askServing(collectTopic, null);
  if (ofWorkers.length === 0 && form === "prometheus") {
    return withPublicMetricNames(await metrics.metrics());
  }
  const all = [await metrics.getMetricsAsJSON(), ...ofWorkers] as MetricOfThread[][];
  if (form === "prometheus") {
    return withPublicMetricNames(await AggregatorRegistry.aggregate(all).metrics());
  }
  const text = await aggregateAsOpenMetrics(all.map((each) => each.map(withoutEnding))).metrics();
  const lines = withPublicMetricNames(text.replace(/# EOF\n$/, ""));
  // Unlike the other form it has no blank lines, and says where it ends.
  return `${lines.replaceAll(/\n{2,}/g, "\n").trimEnd()}\n# EOF\n`;
}

/** As {@link allMetrics}, as values and without the public names. */
export async function allMetricValues(
  metrics: Registry,
  messages: ThreadMessages,
): Promise<MetricObjectWithValues<MetricValue<string>>[]> {
  const own = await metrics.getMetricsAsJSON();
  const ofWorkers = await messages.askServing(collectTopic, null);
  return ofWorkers.length === 0
    ? own
    : AggregatorRegistry.aggregate([own, ...ofWorkers] as object[]).getMetricsAsJSON();
}

interface MetricOfThread {
  /** Name of the metric, which all threads share. */
  readonly name: string;
  /** Counter, gauge or histogram: it decides how threads are summed. */
  readonly type: string;
}

/** OpenMetrics names a counter without the ending of its values, `_total`. The library forgets that for sums of threads. */
function withoutEnding(metric: MetricOfThread): MetricOfThread {
  return metric.type === "counter" ? { ...metric, name: metric.name.replace(/_total$/, "") } : metric;
}

/** The library takes a form here that its types do not name. */
const aggregateAsOpenMetrics = (all: object[]): Registry =>
  (AggregatorRegistry.aggregate as (all: object[], type: string) => Registry)(all, metricsTypes.openmetrics);

import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from "@prometheus-io/client";
import { withPublicMetricNames } from "lifecycle";
import type { ThreadMessages } from "./thread-messages.ts";

/** Topic with which a worker sends its metrics. */
export const collectTopic = "metrics.collect";

/** Format of metrics: Prometheus text 0.0.4, or OpenMetrics 1.0. */
export type MetricsForm = "prometheus" | "openmetrics";

/** The media type of a form. */
export const metricsTypes: Readonly<Record<MetricsForm, string>> = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** Metrics of all threads: the workers' values are added up, and metrics with Caddy's names are added. */
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
  // OpenMetrics has no blank lines, and an end mark.
  return `${lines.replaceAll(/\n{2,}/g, "\n").trimEnd()}\n# EOF\n`;
}

/** Like {@link allMetrics}, but returns values, without the public names. */
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
  /** Name of the metric, which is the same in all threads. */
  readonly name: string;
  /** Counter, gauge or histogram; the type determines how the values of threads are combined. */
  readonly type: string;
}

/**
 * In OpenMetrics the name of a counter lacks the ending of its values, `_total`. The library does not remove this
 * ending when it adds up threads.
 */
function withoutEnding(metric: MetricOfThread): MetricOfThread {
  return metric.type === "counter" ? { ...metric, name: metric.name.replace(/_total$/, "") } : metric;
}

/** The library accepts a parameter that its types do not have. */
const aggregateAsOpenMetrics = (all: object[]): Registry =>
  (AggregatorRegistry.aggregate as (all: object[], type: string) => Registry)(all, metricsTypes.openmetrics);

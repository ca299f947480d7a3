import { withPublicMetricNames } from "lifecycle";
import { AggregatorRegistry, type Registry } from "prom-client";
import type { ThreadMessages } from "./thread-messages.ts";

/** Topic by which a worker tells its metrics. */
export const collectTopic = "metrics.collect";

/** The metrics of all threads as Prometheus text: those of the workers are added up, public names are added. */
export async function allMetrics(metrics: Registry, messages: ThreadMessages): Promise<string> {
  const ofWorkers = await messages.askServing(collectTopic, null);
  if (ofWorkers.length === 0) {
    return withPublicMetricNames(await metrics.metrics());
  }
  const all = [await metrics.getMetricsAsJSON(), ...ofWorkers] as object[];
  return withPublicMetricNames(await AggregatorRegistry.aggregate(all).metrics());
}

import { collectDefaultMetrics, Gauge, Registry } from "@prometheus-io/client";
import { version } from "./version.ts";

/**
 * The metrics of a process: Node's metrics (CPU, memory, event loop), `tracing_build_info`, and the metrics that the
 * process adds.
 */
export function createMetrics(processName: string): Registry {
  const metrics = new Registry();
  // By default, the event loop would be sampled ten times a second, even in an idle process.
  collectDefaultMetrics({ register: metrics, eventLoopUtilizationTimeout: 1000 });
  const buildInfo = new Gauge({
    name: "tracing_build_info",
    help: "Always 1; the labels say what runs.",
    labelNames: ["process", "version", "revision"],
    registers: [metrics],
  });
  buildInfo.set({ process: processName, version: version.gitVersion, revision: version.gitCommit }, 1);
  return metrics;
}

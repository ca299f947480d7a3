import { Counter, Gauge, Histogram, type Registry } from "@prometheus-io/client";

/** Metrics of adaptive sampling. Metrics that Jaeger also has keep their names. */
export class SamplingMetrics {
  /** Increased by the number of services each time counts are saved. */
  readonly services;
  /** Increased by the number of operations each time counts are saved. */
  readonly operations;
  /** Counts root spans above the limit of `ThroughputCounter`. */
  readonly refused;
  /** Set by the leader after each calculation; the value stays when the lease is lost. */
  readonly operationsCalculated;
  /** Duration of the calculation in seconds, without the store. */
  readonly calculateSeconds;
  /** Set at each calculation interval. */
  readonly leader;

  constructor(registry: Registry) {
    const registers = [registry];
    this.services = new Counter({
      name: "tracing_collector_sampling_services_total",
      help: "Services with sampled root spans, added up over the calculation intervals.",
      registers,
    });
    this.operations = new Counter({
      name: "tracing_collector_sampling_operations_total",
      help: "Operations with sampled root spans, added up over the calculation intervals.",
      registers,
    });
    this.refused = new Counter({
      name: "tracing_collector_sampling_spans_uncounted_total",
      help: "Root spans that sampling has not counted, because of too many operations in one interval.",
      registers,
    });
    this.operationsCalculated = new Gauge({
      name: "tracing_collector_adaptive_sampling_processor_operations_calculated",
      help: "Operations whose probability this collector has computed last time it led.",
      registers,
    });
    this.calculateSeconds = new Histogram({
      name: "tracing_collector_adaptive_sampling_processor_calculate_probabilities_seconds",
      help: "Time of one calculation.",
      buckets: [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
      registers,
    });
    this.leader = new Gauge({
      name: "tracing_collector_adaptive_sampling_leader",
      help: "1 when this collector computes the probabilities, 0 when another does.",
      registers,
    });
  }
}

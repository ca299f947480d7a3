import { Counter, Histogram, type Registry } from "@prometheus-io/client";

/** Kinds of reads from the store; the value of the label `operation`. */
export type ReadOperation =
  | "get_trace"
  | "find_traces"
  | "get_services"
  | "get_operations"
  | "get_dependencies"
  | "get_call_rates"
  | "get_error_rates"
  | "get_latencies"
  | "get_ranked_rates"
  | "get_span_counters"
  | "get_call_counters"
  | "archive_trace"
  | "get_heat_map"
  | "compare_attributes"
  | "compare_populations"
  | "get_duration_rank"
  | "get_duration_ranks"
  | "get_top_operations"
  | "get_critical_path"
  | "tail"
  | "traceql_search"
  | "traceql_metrics"
  | "traceql_groups"
  | "attribute_names"
  | "attribute_values";

/**
 * Jaeger's operations. Their counters exist from the start, because dashboards subtract failures
 * from them.
 */
const firstOperations: readonly ReadOperation[] = [
  "get_trace",
  "find_traces",
  "get_services",
  "get_operations",
  "get_dependencies",
];

/** Counts and times every read of the store, under Jaeger's names with our prefix. */
export class QueryMetrics {
  readonly #requests: Counter<"operation" | "result">;
  readonly #latency: Histogram<"operation" | "result">;
  readonly #responses: Histogram<"operation">;
  readonly #largeReadsWaited: Counter;
  readonly #viewsRefused: Counter<"kind">;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: "tracing_query_requests_total",
      help: "Reads of the store.",
      labelNames: ["operation", "result"],
      registers,
    });
    for (const operation of firstOperations) {
      this.#requests.inc({ operation, result: "ok" }, 0);
      this.#requests.inc({ operation, result: "err" }, 0);
    }
    this.#latency = new Histogram({
      name: "tracing_query_latency",
      help: "Seconds that reads of the store took.",
      labelNames: ["operation", "result"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.#responses = new Histogram({
      name: "tracing_query_responses",
      help: "Traces or names in the answer of a read.",
      labelNames: ["operation"],
      buckets: [0, 1, 10, 20, 50, 100, 200, 500, 1_000, 1_500],
      registers,
    });
    this.#largeReadsWaited = new Counter({
      name: "tracing_query_large_reads_waited_total",
      help: "Reads of large traces that waited until there was memory for them.",
      registers,
    });
    this.#viewsRefused = new Counter({
      name: "tracing_query_views_refused_total",
      help: "Saved views, short links and notes that were refused because there are too many.",
      labelNames: ["kind"],
      registers,
    });
  }

  /** Counts a saved view, a short link or a note that a limit refused. */
  viewRefused(kind: "view" | "link" | "note"): void {
    this.#viewsRefused.inc({ kind });
  }

  /** Counts a read of large traces that must wait for room. */
  largeReadWaits(): void {
    this.#largeReadsWaited.inc();
  }

  /** @param count traces or names found; undefined when the read failed */
  observe(operation: ReadOperation, seconds: number, count: number | undefined): void {
    const labels = { operation, result: count === undefined ? "err" : "ok" };
    this.#requests.inc(labels);
    this.#latency.observe(labels, seconds);
    if (count !== undefined) {
      this.#responses.observe({ operation }, count);
    }
  }
}

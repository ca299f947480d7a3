// Names and labels that the public model's monitoring mixin (Jaeger 1.62, monitoring/jaeger-mixin) uses in its
// dashboard and its alerts, without the expressions.

/** Metrics that exist from the start, each with the labels that queries use. */
export const mixinMetrics: Readonly<Record<string, readonly string[]>> = {
  jaeger_agent_reporter_batches_failures_total: [],
  jaeger_agent_reporter_batches_submitted_total: [],
  jaeger_collector_in_queue_latency: [],
  jaeger_collector_queue_length: [],
  jaeger_collector_spans_dropped_total: [],
  jaeger_collector_spans_received_total: [],
  jaeger_query_latency: [],
  jaeger_query_requests_total: ["result"],
  jaeger_agent_http_server_errors_total: [],
};

/** Metrics that version 1.62 does not have either: metrics of old client libraries, and an old name. */
export const goneMetrics: readonly string[] = [
  "jaeger_agent_http_server_total",
  "jaeger_client_jaeger_rpc_http_requests",
  "jaeger_reporter_spans",
  "jaeger_sampler_queries",
  "jaeger_throttler_updates",
];

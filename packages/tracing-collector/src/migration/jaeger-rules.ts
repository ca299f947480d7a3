import { type Answer, lacking, needless, option, type Rule, to } from "./migration.ts";
import { clientTlsRules, logLevel, receiverRules, serverTlsRules } from "./shared-rules.ts";

const query = "tracing-query";
const collector = "tracing-collector";

/** Answer for a setting that enables something by its presence. */
const isPresent =
  (name: string): Answer =>
  () => ({ kind: "written", options: [option(query, name, true)] });

/** Pairs of names: in Jaeger's adaptive sampling, and in our options, which have the names of Jaeger 1. */
const adaptive: readonly [theirs: string, ours: string][] = [
  ["target_samples_per_second", "sampling.target-samples-per-second"],
  ["delta_tolerance", "sampling.delta-tolerance"],
  ["buckets_for_calculation", "sampling.buckets-for-calculation"],
  ["calculation_interval", "sampling.calculation-interval"],
  ["aggregation_buckets", "sampling.aggregation-buckets"],
  ["calculation_delay", "sampling.delay"],
  ["initial_sampling_probability", "sampling.initial-sampling-probability"],
  ["min_sampling_probability", "sampling.min-sampling-probability"],
  ["min_samples_per_second", "sampling.min-samples-per-second"],
  ["leader_lease_refresh_interval", "sampling.leader-lease-refresh-interval"],
  ["follower_lease_refresh_interval", "sampling.follower-lease-refresh-interval"],
];

/** Rules for `extensions.remote_sampling`. */
const sampling: readonly Rule[] = [
  ...adaptive.map(
    ([theirs, ours]): Rule => [
      `extensions.remote_sampling.adaptive.${theirs}`,
      (value) => ({
        kind: "written",
        options: [option(collector, "sampling.config-type", "adaptive"), option(collector, ours, value)],
      }),
    ],
  ),
  ["extensions.remote_sampling.adaptive.sampling_store", needless("counts are kept where spans are")],
  ["extensions.remote_sampling.file.path", to(collector, "sampling.strategies-file")],
  ["extensions.remote_sampling.file.reload_interval", to(collector, "sampling.strategies-reload-interval")],
  [
    "extensions.remote_sampling.file.default_sampling_probability",
    lacking("write it into the strategies file, as default_strategy; without a file it is 0.001"),
  ],
  ["extensions.remote_sampling.http.endpoint", to("tracing-agent", "http-server.host-port")],
  ["extensions.remote_sampling.http", needless("the collector answers at port 14268, an agent at 5778")],
  [
    "extensions.remote_sampling.grpc.**",
    needless("the collector answers at --collector.grpc-server.host-port"),
  ],
];

/** Rules for `extensions.jaeger_query`. */
const queryRules: readonly Rule[] = [
  ["extensions.jaeger_query.storage.**", needless("one store has traces, archive and metrics")],
  ["extensions.jaeger_query.trace_storage", needless("one store has traces, archive and metrics")],
  ["extensions.jaeger_query.base_path", to(query, "query.base-path")],
  ["extensions.jaeger_query.ui.config_file", to(query, "query.ui-config")],
  ["extensions.jaeger_query.ui.assets_path", to(query, "query.static-files")],
  ["extensions.jaeger_query.ui.log_access", to(query, "query.log-static-assets-access")],
  ["extensions.jaeger_query.max_clock_skew_adjust", to(query, "query.max-clock-skew-adjustment")],
  ["extensions.jaeger_query.enable_tracing", to(query, "query.enable-tracing")],
  ["extensions.jaeger_query.bearer_token_propagation", to(query, "query.bearer-token-propagation")],
  ["extensions.jaeger_query.max_trace_size", to(query, "query.max-spans")],
  ["extensions.jaeger_query.tenancy.enabled", to([collector, query], "multi-tenancy.enabled")],
  ["extensions.jaeger_query.tenancy.header", to([collector, query], "multi-tenancy.header")],
  ["extensions.jaeger_query.tenancy.tenants", to([collector, query], "multi-tenancy.tenants")],
  ["extensions.jaeger_query.http.endpoint", to(query, "query.http-server.host-port")],
  ["extensions.jaeger_query.grpc.endpoint", to(query, "query.grpc-server.host-port")],
  [
    "extensions.jaeger_query.http.response_headers.*",
    (value, { path }) => ({
      kind: "written",
      options: [option(query, "query.additional-headers", `${path.at(-1)}: ${String(value)}`)],
    }),
  ],
  ...serverTlsRules("extensions.jaeger_query.http", query, "query.http"),
  ...serverTlsRules("extensions.jaeger_query.grpc", query, "query.grpc"),
  ["extensions.jaeger_query.ai.mcp", isPresent("query.mcp.enabled")],
  ["extensions.jaeger_query.ai.mcp.**", isPresent("query.mcp.enabled")],
  ["extensions.jaeger_query.ai.**", lacking("no assistant is called: assistants ask at /mcp")],
  [
    "extensions.jaeger_query.otlp_proxy.**",
    lacking("the UI sends no spans: let a proxy lead to the collector"),
  ],
];

/** Pattern for a Prometheus that provides the UI's page of metrics. */
const metrics = "extensions.jaeger_storage.metric_backends.*.prometheus";
const ofPrometheus =
  (name: string): Answer =>
  (value) => ({
    kind: "written",
    options: [option(query, "metrics-storage.type", "prometheus"), option(query, name, value)],
  });

const metricRules: readonly Rule[] = [
  [`${metrics}.endpoint`, ofPrometheus("prometheus.server-url")],
  [`${metrics}.normalize_calls`, ofPrometheus("prometheus.query.normalize-calls")],
  [`${metrics}.normalize_duration`, ofPrometheus("prometheus.query.normalize-duration")],
  [`${metrics}.metric_namespace`, ofPrometheus("prometheus.query.namespace")],
  [`${metrics}.latency_unit`, ofPrometheus("prometheus.query.duration-unit")],
  [`${metrics}.connect_timeout`, ofPrometheus("prometheus.connect-timeout")],
  [`${metrics}.token_file_path`, ofPrometheus("prometheus.token-file")],
  [`${metrics}.token_override_from_context`, ofPrometheus("prometheus.token-override-from-context")],
  ...clientTlsRules(metrics, [query], "prometheus"),
  [
    "extensions.jaeger_storage.metric_backends.**",
    needless("the store counts calls, errors and durations itself"),
  ],
];

/** `sampling_percentage: 15` becomes the ratio 0.15. */
const percent = (value: unknown) => Math.min(1, Number(value) / 100);

/** Rules for `processors`. Policies of tail sampling were converted to a file before: see `tailPoliciesOf`. */
const processors: readonly Rule[] = [
  ["processors.batch.**", needless("the collector gathers spans to large blocks itself")],
  ["processors.memory_limiter.**", needless("queues are bounded: --collector.journal.max-bytes")],
  [
    "processors.adaptive_sampling.**",
    () => ({ kind: "written", options: [option(collector, "sampling.config-type", "adaptive")] }),
  ],
  ["processors.probabilistic_sampler.sampling_percentage", to(collector, "downsampling.ratio", percent)],
  ["processors.tail_sampling.decision_wait", to(collector, "sampling.tail.decision-wait")],
  ["processors.tail_sampling.num_traces", to(collector, "sampling.tail.max-traces")],
  ["processors.tail_sampling.expected_new_traces_per_sec", needless("memory grows as it is needed")],
  [
    "processors.tail_sampling.decision_cache.**",
    needless("decisions are remembered for four times as many traces"),
  ],
  [
    "processors.*.**",
    lacking("spans are stored as they arrive: keep an OpenTelemetry Collector before ours"),
  ],
];

/** Rules for `exporters` and `connectors`. */
const exporters: readonly Rule[] = [
  ["exporters.jaeger_storage_exporter.trace_storage", needless("the collector writes to the one store")],
  [
    "exporters.jaeger_storage_exporter.**",
    needless("the journal keeps and retries: --collector.journal.max-bytes"),
  ],
  ["exporters.debug.**", needless("--log-level debug shows what happens")],
  ["exporters.nop.**", needless("nothing is sent")],
  [
    "exporters.prometheus.**",
    needless("tracing-query has calls, errors and durations for Prometheus itself"),
  ],
  ["exporters.kafka.**", lacking("nothing writes to Kafka: the journal bridges what it was for")],
  ["exporters.**", lacking("spans go to the store only: keep an OpenTelemetry Collector before ours")],
  [
    "connectors.spanmetrics.dimensions.**",
    lacking("calls are counted by service, operation, kind and status"),
  ],
  ["connectors.spanmetrics.**", needless("calls, errors and durations are always counted")],
  ["connectors.**", lacking("has no counterpart")],
];

/** Rules for `service`, and for the extensions that concern the process itself. */
const service: readonly Rule[] = [
  ["service.extensions", needless("tells how Jaeger is put together")],
  ["service.pipelines.**", needless("tells how Jaeger is put together")],
  ["service.telemetry.logs.level", to([collector, query], "log-level", logLevel)],
  ["service.telemetry.logs.encoding", to([collector, query], "log-encoding")],
  [
    "service.telemetry.metrics.level",
    (value) =>
      value === "none"
        ? {
            kind: "written",
            options: [option(collector, "metrics-backend", "none"), option(query, "metrics-backend", "none")],
          }
        : { kind: "needless", note: "all metrics are served at each process's admin port" },
  ],
  [
    "service.telemetry.metrics.**",
    needless("metrics are served at each process's admin port: 14269, 16687, 17270"),
  ],
  ["service.telemetry.**", needless("processes name themselves")],
  [
    "extensions.healthcheckv2.**",
    needless("health is at / of each process's admin port: --admin.http.host-port"),
  ],
  [
    "extensions.health_check.**",
    needless("health is at / of each process's admin port: --admin.http.host-port"),
  ],
  ["extensions.remote_storage.endpoint", to("tracing-storage", "grpc.host-port")],
  ["extensions.remote_storage.**", needless("tracing-storage serves what it keeps")],
  ["extensions.pprof.**", lacking("profiles are taken with Node's own: --cpu-prof")],
  ["extensions.zpages.**", lacking("has no counterpart")],
  ["extensions.expvar.**", lacking("metrics are served at each process's admin port")],
  ["extensions.jaeger_mcp.**", isPresent("query.mcp.enabled")],
];

/** Rules for Jaeger 2, except its storage backends. */
export const jaegerRules: readonly Rule[] = [
  ...receiverRules("receivers"),
  ["receivers.spanmetrics.**", needless("calls are counted by the store")],
  ...sampling,
  ...queryRules,
  ...metricRules,
  ...processors,
  ...exporters,
  ...service,
  ...["receivers", "processors", "exporters", "extensions", "connectors"].map(
    (place): Rule => [place, needless("is empty")],
  ),
];

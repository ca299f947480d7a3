import {
  type Answer,
  lacking,
  needless,
  type Outcome,
  option,
  type Rule,
  to,
  type Value,
} from "./migration.ts";
import { logLevel, receiverRules } from "./shared-rules.ts";
import type { Setting } from "./source-config.ts";

const query = "tracing-query";
const collector = "tracing-collector";
const storage = "tracing-storage";

/** An address with its port, in the form of our options. */
function hostPort(address: string, port: unknown): string {
  return `${address.includes(":") && !address.startsWith("[") ? `[${address}]` : address}:${String(port)}`;
}

/**
 * Rules for a listener. Tempo has two settings for address and port, and we have one option. A listener on one address
 * must not become a listener on all addresses.
 * @param kind `http` or `grpc`
 * @param defaultPort default port in Tempo
 * @param settings all settings of the file
 */
function listenerRules(kind: string, defaultPort: number, settings: readonly Setting[]): Rule[] {
  const name = `query.${kind}-server.host-port`;
  const valueAt = (key: string) =>
    settings.find(({ path }) => path.join(".") === `server.${kind}_listen_${key}`)?.value;
  const written = (address: Value, port: Value): Outcome => ({
    kind: "written",
    options: [option(query, name, hostPort(String(address ?? ""), port))],
  });
  return [
    [`server.${kind}_listen_port`, (value) => written(valueAt("address") ?? "", value)],
    [
      `server.${kind}_listen_address`,
      (value) =>
        valueAt("port") === undefined
          ? { ...written(value, defaultPort), note: "with Tempo's default port" }
          : { kind: "needless", note: "the port's line has the address" },
    ],
  ];
}

/** A quoted `true` in YAML is a text. */
const isOn = (value: Value) => value === true || value === "true";

/** Tempo's tenants are in the header `X-Scope-OrgID`, and clients continue to send it. */
const tenants: Answer = (value) =>
  isOn(value)
    ? {
        kind: "written",
        options: [collector, query].flatMap((process) => [
          option(process as typeof query, "multi-tenancy.enabled", true),
          option(process as typeof query, "multi-tenancy.header", "X-Scope-OrgID"),
        ]),
        note: "tenants are named by the same header",
      }
    : { kind: "needless", note: "it is so here" };

// Answers that several settings share.
const generator = needless("calls, errors, durations and the service graph are always counted");
const rings = needless("processes share nothing but the store");

/** Rules for Tempo 2 and 3. @param settings of the whole file */
export function tempoRules(settings: readonly Setting[]): Rule[] {
  return [...listenerRules("http", 80, settings), ...listenerRules("grpc", 9_095, settings), ...fixedRules];
}

/** Rules that use a single setting. */
const fixedRules: readonly Rule[] = [
  ["target", needless("each process is a program of its own")],
  ["server.log_level", to([collector, query], "log-level", logLevel)],
  [
    "server.log_format",
    (value) =>
      value === "json"
        ? {
            kind: "written",
            options: [option(collector, "log-encoding", "json"), option(query, "log-encoding", "json")],
          }
        : { kind: "lacking", note: "lines are JSON, or for people: --log-encoding" },
  ],
  ["server.http_api_prefix", to(query, "query.base-path")],
  ["http_api_prefix", to(query, "query.base-path")],
  ["server.graceful_shutdown_timeout", to([collector, query], "shutdown-timeout")],
  ["server.**", lacking("has no counterpart")],
  ["multitenancy_enabled", tenants],
  ["auth_enabled", tenants],
  ["stream_over_http_enabled", needless("answers over HTTP are streamed")],
  ...receiverRules("distributor.receivers"),
  ["distributor.receivers.**", lacking("has no counterpart")],
  ["distributor.ring.**", rings],
  ["distributor.log_received_spans.**", lacking("spans are not logged; /api/tail shows them as they arrive")],
  [
    "distributor.log_discarded_spans.**",
    lacking("refused spans are counted, and logged once for each reason"),
  ],
  ["distributor.**", lacking("has no counterpart")],
  ["ingester.**", needless("spans are in the store within a second: no blocks are cut")],
  ["live_store.**", needless("spans are in the store within a second")],
  ["block_builder.**", needless("spans are in the store within a second")],
  ["backend_scheduler.**", needless("the store merges by itself")],
  ["backend_worker.**", needless("the store merges by itself")],
  ["ingest.kafka.**", lacking("nothing reads Kafka: the collector's journal keeps spans")],
  ["compactor.compaction.block_retention", to(storage, "storage.retention")],
  ["backend_worker.compaction.block_retention", to(storage, "storage.retention")],
  ["compactor.**", needless("the store merges by itself")],
  [
    "storage.trace.local.path",
    to(storage, "storage.data-dir", (value) => `${String(value)}/tracing`, "a folder of its own below it"),
  ],
  [
    "storage.trace.wal.path",
    to(
      collector,
      "collector.journal.dir",
      (value) => `${String(value)}/tracing`,
      "a folder of its own below it",
    ),
  ],
  ["storage.trace.wal.**", needless("the journal is bounded and synced: --collector.journal.max-bytes")],
  [
    "storage.trace.backend",
    (value) =>
      value === "local"
        ? { kind: "needless", note: "tracing-storage keeps spans on its disk" }
        : { kind: "lacking", note: "spans are on disks: of tracing-storage, or of a cluster of ClickHouse" },
  ],
  [
    "storage.trace.s3.**",
    lacking("spans are on disks; ClickHouse's own storage policies can put old ones into buckets"),
  ],
  ["storage.trace.gcs.**", lacking("spans are on disks")],
  ["storage.trace.azure.**", lacking("spans are on disks")],
  ["storage.trace.pool.**", needless("reads run as the store allows: --storage.max-concurrent-queries")],
  ["storage.trace.block.parquet_dedicated_columns.**", needless("each attribute is indexed")],
  ["storage.trace.block.**", needless("the store has a format of its own")],
  ["storage.trace.**", needless("nothing is cached apart")],
  ["query_frontend.search.max_duration", to(query, "query.max-time-range")],
  ["query_frontend.search.max_result_limit", to(query, "query.max-traces")],
  [
    "query_frontend.search.default_result_limit",
    lacking("20 traces, as in Tempo; the question's limit counts"),
  ],
  ["query_frontend.mcp_server.enabled", to(query, "query.mcp.enabled")],
  ["query_frontend.**", needless("there is no queue between frontend and querier")],
  ["querier.max_concurrent_queries", to(query, "query.max-concurrent-reads")],
  ["querier.**", needless("tracing-query reads the store itself")],
  [
    "metrics_generator.storage.remote_write.**",
    lacking("Prometheus takes them from tracing-query: /api/metrics/spans"),
  ],
  [
    "metrics_generator.processor.span_metrics.dimensions",
    lacking("calls are counted by service, operation, kind and status"),
  ],
  ["metrics_generator.**", generator],
  ["metrics_generator_enabled", generator],
  ["overrides.defaults.metrics_generator.**", generator],
  ["overrides.metrics_generator_processors", generator],
  ["overrides.defaults.compaction.block_retention", to(storage, "storage.retention")],
  [
    "overrides.**",
    lacking("--collector.quotas.file has limits of tenants, in spans a second and bytes a day"),
  ],
  ["memberlist.**", rings],
  ["usage_report.**", needless("nothing is reported to anybody")],
  ["cache.**", needless("the store caches by itself")],
];

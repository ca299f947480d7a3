import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { collectorOptions } from "../options/collector-options.ts";
import { parseTailPolicies } from "../pipeline/tail/tail-policies.ts";
import { migrateConfig } from "./migrate-config.ts";
import { migratedFiles, migrationReport } from "./migration-text.ts";

/** A configuration, the resulting options by process, and the lines that cannot be migrated. */
interface Case {
  readonly name: string;
  readonly yaml: string;
  readonly files: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** `line place` of each line that cannot be migrated. */
  readonly lacking?: readonly string[];
}

const otlp = `receivers: { otlp: { protocols: { grpc: , http: { endpoint: "0.0.0.0:4318" } } } }
`;
const otlpOptions = {
  "collector.otlp.grpc.host-port": "localhost:4317",
  "collector.otlp.http.host-port": "0.0.0.0:4318",
};
const pipeline = (processors = "") =>
  `service: { extensions: [jaeger_storage, jaeger_query, remote_sampling], pipelines: { traces: { receivers: [otlp], processors: [${processors}], exporters: [jaeger_storage_exporter] } } }
exporters: { jaeger_storage_exporter: { trace_storage: main } }
`;
const backend = (text: string) =>
  `extensions: { jaeger_storage: { backends: { main: { ${text} } } }, jaeger_query: { storage: { traces: main } } }
`;

const jaegerCases: readonly Case[] = [
  {
    name: "memory, which becomes a store on disk",
    yaml: pipeline() + otlp + backend("memory: { max_traces: 5000 }"),
    files: { "tracing-collector": otlpOptions, "tracing-query": {}, "tracing-storage": {} },
  },
  {
    name: "Badger with a time to live",
    yaml:
      pipeline("batch") +
      otlp +
      backend("badger: { ttl: { spans: 72h }, directories: { keys: /b/k, values: /b/v } }"),
    files: {
      "tracing-collector": otlpOptions,
      "tracing-query": {},
      "tracing-storage": { "storage.retention": "72h" },
    },
  },
  {
    name: "Elasticsearch, whose settings have no counterpart",
    yaml:
      pipeline() +
      otlp +
      backend("elasticsearch: { server_urls: [http://es:9200], indices: { index_prefix: x } }"),
    files: { "tracing-collector": otlpOptions, "tracing-query": {}, "tracing-storage": {} },
    lacking: [
      "4 extensions.jaeger_storage.backends.main.elasticsearch.server_urls",
      "4 extensions.jaeger_storage.backends.main.elasticsearch.indices.index_prefix",
    ],
  },
  {
    name: "ClickHouse, with a password that only the environment knows",
    yaml:
      pipeline() +
      otlp +
      backend(
        `clickhouse: { addresses: [ch-0:9000, ch-1:9000], auth: { basic: { username: u, password: "\${env:CH_PASS}" } } }`,
      ),
    files: {
      "tracing-collector": {
        ...otlpOptions,
        "clickhouse.url": "http://ch-0:8123,http://ch-1:8123",
        "clickhouse.user": "u",
      },
      "tracing-query": { "clickhouse.url": "http://ch-0:8123,http://ch-1:8123", "clickhouse.user": "u" },
    },
    lacking: ["4 extensions.jaeger_storage.backends.main.clickhouse.auth.basic.password"],
  },
  {
    name: "a remote storage with TLS, beside an archive that nothing needs",
    yaml: `${pipeline()}${otlp}
extensions:
  jaeger_storage:
    backends:
      main:
        grpc:
          endpoint: "\${env:STORE:-store:17271}"
          tls: { ca_file: /ca.pem, server_name_override: store }
      old: { cassandra: { schema: { keyspace: k } } }
  jaeger_query: { storage: { traces: main, traces_archive: old } }
`,
    files: {
      "tracing-collector": {
        ...otlpOptions,
        "span-storage.type": "grpc",
        "grpc-storage.server": "store:17271",
        "grpc-storage.tls.enabled": true,
        "grpc-storage.tls.ca": "/ca.pem",
        "grpc-storage.tls.server-name": "store",
      },
      "tracing-query": {
        "span-storage.type": "grpc",
        "grpc-storage.server": "store:17271",
        "grpc-storage.tls.enabled": true,
        "grpc-storage.tls.ca": "/ca.pem",
        "grpc-storage.tls.server-name": "store",
      },
    },
  },
  {
    name: "all receivers, their UDP ports at an agent",
    yaml: `
service: { pipelines: { traces: { receivers: [otlp/in, jaeger, zipkin], exporters: [jaeger_storage_exporter] } } }
receivers:
  otlp/in:
    protocols:
      grpc:
        max_recv_msg_size_mib: 16
        tls: { cert_file: /c.pem, key_file: /k.pem, min_version: "1.3" }
      http: { endpoint: ":4318", cors: { allowed_origins: [https://a, https://b] } }
  jaeger: { protocols: { grpc: , thrift_http: { endpoint: ":14268" }, thrift_compact: } }
  zipkin:
exporters: { jaeger_storage_exporter: { trace_storage: main } }
`,
    files: {
      "tracing-collector": {
        "collector.otlp.grpc.host-port": "localhost:4317",
        "collector.otlp.grpc.max-message-size": "16MiB",
        "collector.otlp.grpc.tls.enabled": true,
        "collector.otlp.grpc.tls.cert": "/c.pem",
        "collector.otlp.grpc.tls.key": "/k.pem",
        "collector.otlp.grpc.tls.min-version": "1.3",
        "collector.otlp.http.host-port": ":4318",
        "collector.otlp.http.cors.allowed-origins": "https://a,https://b",
        "collector.grpc-server.host-port": "localhost:14250",
        "collector.http-server.host-port": ":14268",
        "collector.zipkin.host-port": "localhost:9411",
      },
      "tracing-agent": { "processor.tracing-compact.server-host-port": "localhost:6831" },
      "tracing-storage": {},
    },
  },
  {
    name: "tail sampling, its shares last, with a policy that has no counterpart",
    yaml: `${pipeline("tail_sampling")}${otlp}${backend("memory: { max_traces: 1 }")}
processors:
  tail_sampling:
    decision_wait: 10s
    num_traces: 5000
    policies:
      - { name: one percent, type: probabilistic, probabilistic: { sampling_percentage: 1 } }
      - { name: failures, type: status_code, status_code: { status_codes: [ERROR] } }
      - { name: slow, type: latency, latency: { threshold_ms: 800 } }
      - { name: gold, type: string_attribute, string_attribute: { key: tier, values: [gold] } }
      - { name: both, type: and, and: { and_sub_policy: [{ name: x, type: always_sample }] } }
`,
    files: {
      "tracing-collector": {
        ...otlpOptions,
        "sampling.tail.decision-wait": "10s",
        "sampling.tail.max-traces": 5000,
        "sampling.tail.policies-file": "tail-policies.yaml",
      },
      "tracing-query": {},
      "tracing-storage": {},
      "tail-policies": {
        policies: [
          { name: "failures", type: "error" },
          { name: "slow", type: "latency", threshold: "800ms" },
          { name: "gold", type: "attribute", key: "tier", values: ["gold"] },
          { name: "one-percent", type: "probability", ratio: 0.01 },
        ],
      },
    },
    lacking: ["15 processors.tail_sampling.policies.4"],
  },
  {
    name: "adaptive sampling, metrics of Prometheus, a path, tenants and headers",
    yaml: `${pipeline("adaptive_sampling, attributes/mine")}${otlp}
processors: { adaptive_sampling: , attributes/mine: { actions: [{ key: a, action: delete }] }, batch/unused: { timeout: 1s } }
extensions:
  remote_sampling: { adaptive: { sampling_store: main, target_samples_per_second: 2 }, http: { endpoint: ":5778" } }
  jaeger_query:
    base_path: /jaeger
    storage: { traces: main, metrics: prom }
    tenancy: { enabled: true, header: x-org }
    max_clock_skew_adjust: 30s
    http: { endpoint: ":8080", response_headers: { X-Frame-Options: DENY } }
    ui: { config_file: /ui.json }
    enable_tracing: true
  jaeger_storage:
    metric_backends: { prom: { prometheus: { endpoint: http://prom:9090, normalize_calls: true } } }
    backends: { main: { memory: { max_traces: 1 } } }
`,
    files: {
      "tracing-collector": {
        ...otlpOptions,
        "sampling.config-type": "adaptive",
        "sampling.target-samples-per-second": 2,
        "multi-tenancy.enabled": true,
        "multi-tenancy.header": "x-org",
      },
      "tracing-agent": { "http-server.host-port": ":5778" },
      "tracing-query": {
        "query.base-path": "/jaeger",
        "multi-tenancy.enabled": true,
        "multi-tenancy.header": "x-org",
        "query.max-clock-skew-adjustment": "30s",
        "query.http-server.host-port": ":8080",
        "query.additional-headers": "X-Frame-Options: DENY",
        "query.ui-config": "/ui.json",
        "query.enable-tracing": true,
        "metrics-storage.type": "prometheus",
        "prometheus.server-url": "http://prom:9090",
        "prometheus.query.normalize-calls": true,
      },
      "tracing-storage": {},
    },
    lacking: ["5 processors.attributes/mine.actions.0.key", "5 processors.attributes/mine.actions.0.action"],
  },
  {
    name: "a collector that writes to Kafka",
    yaml: `
service: { pipelines: { traces: { receivers: [otlp], processors: [batch], exporters: [kafka] } } }
${otlp}exporters: { kafka: { brokers: ["k:9092"], traces: { topic: spans } } }
processors: { batch: { send_batch_size: 1000 } }
`,
    files: { "tracing-collector": otlpOptions, "tracing-storage": {} },
    lacking: ["4 exporters.kafka.brokers", "4 exporters.kafka.traces.topic"],
  },
];

const tempoCases: readonly Case[] = [
  {
    name: "one process with local blocks",
    yaml: `
stream_over_http_enabled: true
server: { http_listen_port: 3200, log_level: warn }
distributor: { receivers: { otlp: { protocols: { grpc: { endpoint: "tempo:4317" }, http: } } } }
ingester: { max_block_duration: 5m }
compactor: { compaction: { block_retention: 48h } }
storage: { trace: { backend: local, wal: { path: /var/tempo/wal }, local: { path: /var/tempo/blocks } } }
`,
    files: {
      "tracing-collector": {
        "log-level": "warn",
        "collector.otlp.grpc.host-port": "tempo:4317",
        "collector.otlp.http.host-port": "localhost:4318",
        "collector.journal.dir": "/var/tempo/wal/tracing",
      },
      "tracing-query": { "query.http-server.host-port": ":3200", "log-level": "warn" },
      "tracing-storage": { "storage.retention": "48h", "storage.data-dir": "/var/tempo/blocks/tracing" },
    },
  },
  {
    name: "tenants, a bucket, generated metrics and limits",
    yaml: `
multitenancy_enabled: true
distributor: { receivers: { jaeger: { protocols: { thrift_http: , grpc: } }, zipkin: , opencensus: } }
storage: { trace: { backend: s3, s3: { bucket: b, endpoint: "minio:9000" } } }
metrics_generator: { storage: { path: /g, remote_write: [{ url: "http://mimir/push" }] } }
overrides: { defaults: { metrics_generator: { processors: [span-metrics] }, ingestion: { rate_limit_bytes: 1000 } } }
query_frontend: { search: { max_duration: 24h, duration_slo: 5s } }
memberlist: { join_members: [tempo] }
`,
    files: {
      "tracing-collector": {
        "multi-tenancy.enabled": true,
        "multi-tenancy.header": "X-Scope-OrgID",
        "collector.http-server.host-port": "localhost:14268",
        "collector.grpc-server.host-port": "localhost:14250",
        "collector.zipkin.host-port": "localhost:9411",
      },
      "tracing-query": {
        "multi-tenancy.enabled": true,
        "multi-tenancy.header": "X-Scope-OrgID",
        "query.max-time-range": "24h",
      },
      "tracing-storage": {},
    },
    lacking: [
      "3 distributor.receivers.opencensus",
      "4 storage.trace.backend",
      "4 storage.trace.s3.bucket",
      "4 storage.trace.s3.endpoint",
      "5 metrics_generator.storage.remote_write.0.url",
      "6 overrides.defaults.ingestion.rate_limit_bytes",
    ],
  },
  {
    name: "an older file with anchors",
    yaml: `
shared: &retention { block_retention: 1h }
server: { http_listen_port: 3100 }
compactor: { compaction: *retention }
overrides: { metrics_generator_processors: [service-graphs] }
`,
    files: {
      "tracing-collector": {},
      "tracing-query": { "query.http-server.host-port": ":3100" },
      "tracing-storage": { "storage.retention": "1h" },
    },
    lacking: ["2 shared.block_retention"],
  },
  {
    name: "a server that listens on one address",
    yaml: `
server:
  http_listen_address: 127.0.0.1
  http_listen_port: 3200
  grpc_listen_address: "::1"
`,
    files: {
      "tracing-collector": {},
      "tracing-query": {
        "query.http-server.host-port": "127.0.0.1:3200",
        "query.grpc-server.host-port": "[::1]:9095",
      },
      "tracing-storage": {},
    },
  },
];

describe.each([
  ["Jaeger 2", jaegerCases],
  ["Tempo", tempoCases],
])("%s", (product, cases) => {
  test.each(cases)("$name", ({ yaml, files, lacking = [] }) => {
    const migration = migrateConfig(yaml, "x.yaml");
    expect(migration.product).toBe(product);
    const written = migratedFiles(migration, "x.yaml").map(({ name, text }) => [
      name.replace(".yaml", ""),
      parse(text) ?? {},
    ]);
    expect(Object.fromEntries(written)).toEqual(files);
    expect(
      migration.lines
        .filter(({ outcome }) => outcome.kind === "lacking")
        .map(({ line, place }) => `${line} ${place}`),
    ).toEqual(lacking);
    const { "tail-policies": policies, "tracing-collector": collector } = Object.fromEntries(written);
    if (policies !== undefined) {
      parseTailPolicies(policies, "x");
    }
    expect(Object.keys(collectorOptions.shape).concat("log-level")).toEqual(
      expect.arrayContaining(Object.keys(collector ?? {})),
    );
  });
});

test("tells each line, with its sign, and sums up", () => {
  const yaml = `${pipeline("batch")}${otlp}processors: { batch: , filter: { x: 1 } }
extensions: { pprof: { endpoint: ":1777" } }
`;
  const report = migrationReport(migrateConfig(yaml, "x").lines);
  expect(report).toContain(
    "+ 3  receivers.otlp.protocols.grpc: --collector.otlp.grpc.host-port (tracing-collector); localhost:4317 is the default there\n",
  );
  expect(report).toContain("= 4  processors.batch: the collector gathers spans to large blocks itself\n");
  expect(report).toContain("= 4  processors.filter.x: is not listed under service, so nothing starts it\n");
  expect(report).toMatch(
    /\n10 settings: 2 written \(\+\), 8 not needed \(=\), 0 without counterpart \(!\)\n$/,
  );
});

test("an option that two lines want differently keeps the first, and the second says so", () => {
  const { lines } = migrateConfig(
    `service: { pipelines: { traces: { receivers: [otlp, otlp/2] } } }
receivers:
  otlp: { protocols: { grpc: { endpoint: ":4317" } } }
  otlp/2: { protocols: { grpc: { endpoint: ":5317" } } }
`,
    "x",
  );
  expect(lines.at(-1)).toEqual({
    line: 4,
    place: "receivers.otlp/2.protocols.grpc.endpoint",
    outcome: {
      kind: "lacking",
      note: "tracing-collector has one collector.otlp.grpc.host-port, and :4317 is taken already",
    },
  });
});

test.each([
  ["no YAML", "a: [", "x.yaml is not YAML: "],
  ["a list", "- a", "x.yaml must be a mapping"],
  ["something else", "a: 1", "x.yaml is neither a configuration of Jaeger 2"],
  ["an object of Kubernetes", "apiVersion: v1\nkind: ConfigMap\ndata: {}", "is an object of Kubernetes"],
  ["a file over the limit", `#${"x".repeat(1024 * 1024)}`, "over the limit of 1048576"],
  [
    "aliases that grow without end",
    `a0: &a0 [{x: 1}, {x: 1}]\n${Array.from({ length: 20 }, (_, n) => `a${n + 1}: &a${n + 1} [{y: *a${n}}, {y: *a${n}}]`).join("\n")}\nserver: *a20`,
    "has over 20000 settings, or over 64 levels",
  ],
])("%s is refused", (_, yaml, message) => {
  expect(() => migrateConfig(yaml, "x.yaml")).toThrow(message);
});

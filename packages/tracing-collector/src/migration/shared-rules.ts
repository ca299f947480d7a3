import {
  type Answer,
  lacking,
  needless,
  option,
  type Rule,
  type TargetOption,
  type TargetProcess,
  to,
  type Value,
} from "./migration.ts";

/** Converts sizes that the other product gives in MiB without a unit: 16 becomes `16MiB`. */
const mebibytes = (value: Value): Value => `${String(value)}MiB`;

/** Rules for a listener's certificate. @param prefix prefix of our options, before `.tls` */
export function serverTlsRules(place: string, process: TargetProcess, prefix: string): Rule[] {
  const file =
    (name: string): Answer =>
    (value) => ({
      kind: "written",
      options: [
        option(process, `${prefix}.tls.enabled`, true),
        option(process, `${prefix}.tls.${name}`, value),
      ],
    });
  return [
    [`${place}.tls.cert_file`, file("cert")],
    [`${place}.tls.key_file`, file("key")],
    [`${place}.tls.client_ca_file`, file("client-ca")],
    [`${place}.tls.min_version`, to(process, `${prefix}.tls.min-version`, String)],
    [`${place}.tls.max_version`, to(process, `${prefix}.tls.max-version`, String)],
    [`${place}.tls.cipher_suites`, to(process, `${prefix}.tls.cipher-suites`)],
    [`${place}.tls.reload_interval`, to(process, `${prefix}.tls.reload-interval`)],
  ];
}

/** Rules for a client's TLS settings. */
export function clientTlsRules(place: string, processes: readonly TargetProcess[], prefix: string): Rule[] {
  const both = (name: string, value: Value): TargetOption[] =>
    processes.map((process) => option(process, `${prefix}.tls.${name}`, value));
  const file =
    (name: string): Answer =>
    (value) => ({ kind: "written", options: [...both("enabled", true), ...both(name, value)] });
  return [
    [
      `${place}.tls.insecure`,
      (value) => ({ kind: "written", options: both("enabled", !(value === true || value === "true")) }),
    ],
    [`${place}.tls.ca_file`, file("ca")],
    [`${place}.tls.cert_file`, file("cert")],
    [`${place}.tls.key_file`, file("key")],
    [`${place}.tls.server_name_override`, file("server-name")],
    [`${place}.tls.insecure_skip_verify`, file("skip-host-verify")],
  ];
}

/** Answer for a listener. If its address is missing, the OpenTelemetry Collector uses the default address. */
const listener = (process: TargetProcess, name: string, standard: string): Answer => {
  const given = to(process, name);
  return (value, setting) =>
    value === null || value === ""
      ? {
          kind: "written",
          options: [option(process, name, standard)],
          note: `${standard} is the default there`,
        }
      : given(value, setting);
};

const collector = "tracing-collector";
const agent = "tracing-agent";

/** Rules for receivers; Jaeger and Tempo have those of the OpenTelemetry Collector. @param root path of `receivers` */
export function receiverRules(root: string): Rule[] {
  const otlp = `${root}.otlp.protocols`;
  const jaeger = `${root}.jaeger.protocols`;
  const listeners: readonly [string, TargetProcess, string, string][] = [
    [`${otlp}.grpc`, collector, "collector.otlp.grpc.host-port", "localhost:4317"],
    [`${otlp}.http`, collector, "collector.otlp.http.host-port", "localhost:4318"],
    [`${jaeger}.grpc`, collector, "collector.grpc-server.host-port", "localhost:14250"],
    [`${jaeger}.thrift_http`, collector, "collector.http-server.host-port", "localhost:14268"],
    [`${jaeger}.thrift_compact`, agent, "processor.tracing-compact.server-host-port", "localhost:6831"],
    [`${jaeger}.thrift_binary`, agent, "processor.tracing-binary.server-host-port", "localhost:6832"],
    [`${root}.zipkin`, collector, "collector.zipkin.host-port", "localhost:9411"],
  ];
  return [
    ...listeners.flatMap(([place, process, name, standard]): Rule[] => [
      [place, listener(process, name, standard)],
      [`${place}.endpoint`, listener(process, name, standard)],
    ]),
    ...otlpRules(otlp),
    ...jaegerRules(jaeger),
    [`${root}.zipkin.cors.allowed_origins`, to(collector, "collector.zipkin.cors.allowed-origins")],
    [`${root}.zipkin.cors.allowed_headers`, to(collector, "collector.zipkin.cors.allowed-headers")],
    ...serverTlsRules(`${root}.zipkin`, collector, "collector.zipkin"),
    [
      `${root}.kafka.**`,
      lacking("nothing reads Kafka: senders reach the collector, whose journal keeps spans"),
    ],
    [
      `${root}.opencensus.**`,
      lacking("OpenCensus is not taken: its clients have OTLP's exporter in their place"),
    ],
    [`${root}.nop.**`, needless("nothing is received")],
  ];
}

/** Rules for the OTLP receiver. @param otlp path of its protocols */
function otlpRules(otlp: string): Rule[] {
  return [
    [`${otlp}.grpc.max_recv_msg_size_mib`, to(collector, "collector.otlp.grpc.max-message-size", mebibytes)],
    [
      `${otlp}.grpc.keepalive.server_parameters.max_connection_age`,
      to(collector, "collector.otlp.grpc.max-connection-age"),
    ],
    [
      `${otlp}.grpc.keepalive.server_parameters.max_connection_age_grace`,
      to(collector, "collector.otlp.grpc.max-connection-age-grace"),
    ],
    [`${otlp}.grpc.keepalive.**`, needless("pings are answered, and connections may idle")],
    ...serverTlsRules(`${otlp}.grpc`, collector, "collector.otlp.grpc"),
    [`${otlp}.http.cors.allowed_origins`, to(collector, "collector.otlp.http.cors.allowed-origins")],
    [`${otlp}.http.cors.allowed_headers`, to(collector, "collector.otlp.http.cors.allowed-headers")],
    [`${otlp}.http.idle_timeout`, to(collector, "collector.otlp.http.idle-timeout")],
    [`${otlp}.http.read_timeout`, to(collector, "collector.otlp.http.read-timeout")],
    [`${otlp}.http.read_header_timeout`, to(collector, "collector.otlp.http.read-header-timeout")],
    [
      `${otlp}.http.traces_url_path`,
      (value) =>
        value === "/v1/traces" || value === "v1/traces"
          ? { kind: "needless", note: "it is so here" }
          : { kind: "lacking", note: "spans are taken at /v1/traces only: let a proxy rewrite the path" },
    ],
    [`${otlp}.http.max_request_body_size`, lacking("the limit of a body is fixed")],
    [
      `${otlp}.*.include_metadata`,
      needless("the tenant's header is read where --multi-tenancy.enabled is given"),
    ],
    ...serverTlsRules(`${otlp}.http`, collector, "collector.otlp.http"),
  ];
}

/** Rules for the receiver of Jaeger's protocols. @param jaeger path of its protocols */
function jaegerRules(jaeger: string): Rule[] {
  return [
    ...serverTlsRules(`${jaeger}.grpc`, collector, "collector.grpc"),
    [
      `${jaeger}.grpc.max_recv_msg_size_mib`,
      to(collector, "collector.grpc-server.max-message-size", mebibytes),
    ],
    ...serverTlsRules(`${jaeger}.thrift_http`, collector, "collector.http"),
    [`${jaeger}.thrift_compact.queue_size`, to(agent, "processor.tracing-compact.server-queue-size")],
    [
      `${jaeger}.thrift_compact.max_packet_size`,
      to(agent, "processor.tracing-compact.server-max-packet-size"),
    ],
    [`${jaeger}.thrift_compact.workers`, to(agent, "processor.tracing-compact.workers")],
    [
      `${jaeger}.thrift_compact.socket_buffer_size`,
      to(agent, "processor.tracing-compact.server-socket-buffer-size"),
    ],
    [`${jaeger}.thrift_binary.queue_size`, to(agent, "processor.tracing-binary.server-queue-size")],
    [`${jaeger}.thrift_binary.max_packet_size`, to(agent, "processor.tracing-binary.server-max-packet-size")],
    [`${jaeger}.thrift_binary.workers`, to(agent, "processor.tracing-binary.workers")],
    [
      `${jaeger}.thrift_binary.socket_buffer_size`,
      to(agent, "processor.tracing-binary.server-socket-buffer-size"),
    ],
  ];
}

/** Converts a log level of Jaeger or Tempo to ours; the names are the same. */
export const logLevel = (value: Value): Value => String(value).toLowerCase();

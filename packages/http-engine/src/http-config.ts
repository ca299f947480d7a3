import { connectionPolicySchema } from "certificates/tls/connection/policy-schema";
import {
  configCount,
  configDuration,
  configTimeout,
  inlineModule,
  notYet,
} from "server-core/modules/config-fields";
import { z } from "zod";
import { accessLogSchema } from "./access-logs/access-config.ts";
import { listenerWrappersSchema } from "./listener-wrappers.ts";
import { routeSchema } from "./route-config.ts";

/** Exceptions from automatic HTTPS. Skipping names does not turn automatic HTTPS off for the server. */
const autoHttpsSchema = z.strictObject({
  disable: z.boolean().nullish().describe("No automatic HTTPS for this server."),
  disable_redirects: z.boolean().nullish().describe("No redirects from plain HTTP."),
  disable_certificates: z.boolean().nullish().describe("No certificates are obtained."),
  skip: z.array(z.string()).nullish().describe("Names that get neither certificates nor redirects."),
  skip_certificates: z.array(z.string()).nullish().describe("Names that get no certificates."),
  ignore_loaded_certificates: z
    .boolean()
    .nullish()
    .describe("Certificates are obtained also for names that a loaded one covers."),
});

/** Options of the metrics by route. With `per_host`, each host has its own series. */
const metricsSchema = z.strictObject({
  per_host: z
    .boolean()
    .nullish()
    .describe("Whether hosts that routes name are told apart; others are `_other`."),
  observe_catchall_hosts: z
    .boolean()
    .nullish()
    .describe("Whether hosts that no route names are told apart over plain HTTP too, 1,000 of them at most."),
  otlp: z
    .boolean()
    .nullish()
    .describe("Whether all metrics are also sent to a collector over OTLP, as the `OTEL_*` variables say."),
});

/** A version of HTTP, as written in configs. */
const protocolSchema = z.string().refine((name) => ["h1", "h2", "h2c", "h3"].includes(name), {
  error: (issue) => `protocol '${issue.input}' is not supported yet`,
});

/** Bytes per second; 0 is no limit. */
const minRate = () => z.int().min(0);

/**
 * One server. Defaults of absent fields are in brackets. For fields of `configTimeout`, 0 also means the default, and a
 * negative time means no limit.
 */
const serverSchema = z.strictObject({
  listen: z
    .array(z.string())
    .nullish()
    .describe("Addresses: `:8080`, `127.0.0.1:80`, `[::1]:80`, `:8080-8090`, `unix//path|0600`, `fd/3`."),
  routes: z.array(routeSchema).nullish().describe("Tried in order."),
  read_timeout: configDuration()
    .nullish()
    .describe("How long a client may take for a whole request (unlimited)."),
  read_header_timeout: configTimeout()
    .nullish()
    .describe("How long a client may take for the headers (1m; negative: no limit)."),
  idle_timeout: configTimeout()
    .nullish()
    .describe("How long a connection may wait for its next request (5m; negative: no limit)."),
  max_header_bytes: configCount()
    .nullish()
    .describe("Limit of all header fields together (16 KiB); 4 KiB more are let through."),
  automatic_https: autoHttpsSchema
    .nullish()
    .describe("Servers with host names get certificates for them, and redirects from plain HTTP."),
  protocols: z
    .array(protocolSchema)
    .refine((names) => names.length === 0 || names.some((name) => name !== "h3"), {
      error: "h3 is not served alone: name another protocol beside it",
    })
    .nullish()
    .describe(
      "h1, h2 (over TLS), h2c (HTTP/2 without TLS, on the same port), h3 (over UDP, on the port of each HTTPS address) (h1, h2).",
    ),
  listener_wrappers: listenerWrappersSchema.nullish(),
  packet_conn_wrappers: notYet("there are no wrappers of datagrams"),
  read_idle_timeout: configTimeout()
    .nullish()
    .describe("How long a client may pause within a body (1m; negative: no limit)."),
  read_min_rate: minRate()
    .nullish()
    .describe(
      "Bytes a second that a client must send of a body, after the time of `read_idle_timeout` (no limit).",
    ),
  write_timeout: configDuration().nullish().describe("How long a response may take (unlimited)."),
  write_idle_timeout: configTimeout()
    .nullish()
    .describe(
      "How long a client may take for the next `max_write_chunk` bytes of a response that waits for it, or for all where it is less (1m; negative: no limit).",
    ),
  write_min_rate: minRate()
    .nullish()
    .describe(
      "Bytes a second that a client must take of a response, after the time of `write_idle_timeout` (no limit).",
    ),
  max_write_chunk: z
    .int()
    .min(0)
    .nullish()
    .describe(
      "Bytes of a larger write that a client must take within each `write_idle_timeout`; fewer make no difference to it (64 KiB).",
    ),
  keepalive_interval: configTimeout()
    .nullish()
    .describe(
      "How long between two of TCP's questions whether the client is there, and before the first without `keepalive_idle` (15s; negative: it never asks).",
    ),
  keepalive_idle: configDuration().nullish().describe("After how long of silence TCP asks first (15s)."),
  keepalive_count: z
    .int()
    .max(127)
    .transform((value) => Math.max(0, value))
    .nullish()
    .describe("How many of these questions go unanswered before the connection is given up (9)."),
  enable_full_duplex: z
    .boolean()
    .nullish()
    .describe("Whether a response may begin before the request's body is read: it always may."),
  expected_underscore_headers: z
    .array(z.string())
    .nullish()
    .describe("Request fields with `_` in their names that are kept; others are dropped."),
  expected_dot_headers: z
    .array(z.string())
    .nullish()
    .describe("Request fields with `.` in their names that are kept; others are dropped."),
  errors: z
    .strictObject({
      routes: z.array(routeSchema).nullish().describe("Tried in order; `{http.error.*}` says what failed."),
    })
    .nullish()
    .describe("What answers when a route fails; absent: the status of the error, with nothing."),
  named_routes: z
    .record(z.string(), routeSchema)
    .nullish()
    .describe("Routes by name, for the handler `invoke`."),
  tls_connection_policies: z
    .array(connectionPolicySchema)
    .nullish()
    .describe(
      "How TLS is spoken: the first policy that matches a client counts. One, even empty, turns TLS on.",
    ),
  strict_sni_host: z
    .boolean()
    .nullish()
    .describe(
      "Whether the host of a request must be the server that the handshake named (where clients show certificates).",
    ),
  trusted_proxies: inlineModule("http.ip_sources", "source")
    .nullish()
    .describe("Proxies whose word on the client's address counts (none)."),
  client_ip_headers: z
    .array(z.string())
    .nullish()
    .describe("Fields in which they name the client, the first with an address counts (`X-Forwarded-For`)."),
  trusted_proxies_strict: z
    .int()
    .nullish()
    .describe("1: the last address that is no trusted proxy is the client's; 0: the first one is (0)."),
  trusted_proxies_unix: z
    .boolean()
    .nullish()
    .describe("Whether whoever connects over a unix socket is a trusted proxy."),
  logs: accessLogSchema
    .nullish()
    .describe("Access log: a line for each request, to loggers `http.log.access`; absent: none."),
  listen_protocols: z
    .array(z.array(z.union([z.literal(""), protocolSchema])).nullable())
    .nullish()
    .describe(
      "Protocols for each entry of `listen`, in its order: null for those of the server, which an empty name in a list adds too.",
    ),
  allow_0rtt: z
    .boolean()
    .nullish()
    .describe(
      "Whether safe requests of returning HTTP/3 clients run before the handshake is done, with `Early-Data: 1` (true).",
    ),
  metrics: metricsSchema
    .pick({ per_host: true })
    .nullish()
    .describe("Old place of the app's `metrics`; it counts for all servers."),
});

/** Config of the app `http`. Source: Caddy 2.11 */
export const httpAppSchema = z.strictObject({
  http_port: z.int().min(0).max(65_535).nullish().describe("The port of plain HTTP (80)."),
  https_port: z.int().min(0).max(65_535).nullish().describe("The port of HTTPS (443)."),
  grace_period: configDuration()
    .nullish()
    .describe("How long requests of an old config may go on (unlimited); then their connections are cut."),
  shutdown_delay: configDuration()
    .nullish()
    .describe(
      "How long a port that is to be closed still takes requests, which see `{http.shutting_down}` and `{http.time_until_shutdown}` (none).",
    ),
  metrics: metricsSchema
    .nullish()
    .describe("Counts and times the requests of all servers by route; absent: none, which costs nothing."),
  servers: z.record(z.string(), serverSchema).nullish().describe("Servers by name."),
});

/** The config of the app after its texts are read: times are milliseconds. */
export type HttpAppConfig = z.infer<typeof httpAppSchema>;
/** The config of one server after parsing of its texts. */
export type HttpServerConfig = z.infer<typeof serverSchema>;

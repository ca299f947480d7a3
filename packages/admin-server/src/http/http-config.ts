import { z } from "zod";
import { configDuration, notYet } from "../core/modules/config-fields.ts";
import { accessLogSchema } from "../modules/logging/access/access-config.ts";
import { routeSchema } from "./routes.ts";

const autoHttpsSchema = z.strictObject({
  disable: z.boolean().nullish().describe("No automatic HTTPS for this server."),
  disable_redirects: z.boolean().nullish(),
  disable_certificates: z.boolean().nullish(),
  skip: z.array(z.string()).nullish(),
  skip_certificates: z.array(z.string()).nullish(),
  ignore_loaded_certificates: z.boolean().nullish(),
});

const protocolSchema = z.string().refine((name) => ["h1", "h2", "h3"].includes(name), {
  error: (issue) => `protocol '${issue.input}' is not supported yet`,
});

const serverSchema = z.strictObject({
  listen: z
    .array(z.string())
    .nullish()
    .describe("Addresses: `:8080`, `127.0.0.1:80`, `[::1]:80`, `:8080-8090`, `unix//path|0600`, `fd/3`."),
  routes: z.array(routeSchema).nullish().describe("Tried in order."),
  read_timeout: configDuration()
    .nullish()
    .describe("How long a client may take for a whole request (unlimited)."),
  read_header_timeout: configDuration()
    .nullish()
    .describe("How long a client may take for the headers (1m)."),
  idle_timeout: configDuration()
    .nullish()
    .describe("How long a connection may wait for its next request (5m)."),
  max_header_bytes: z.int().positive().nullish().describe("Limit of all header fields together (1 MiB)."),
  automatic_https: autoHttpsSchema
    .nullish()
    .describe("HTTPS is not supported yet; servers on other ports serve plain HTTP."),
  protocols: z
    .array(protocolSchema)
    .nullish()
    .describe("h2 and h3 need TLS, which is not supported yet: HTTP/1.1 is served."),
  listener_wrappers: notYet(),
  packet_conn_wrappers: notYet(),
  read_idle_timeout: configDuration().nullish().describe("How long a client may pause within a body (1m)."),
  read_min_rate: notYet(),
  write_timeout: configDuration().nullish().describe("How long a response may take (unlimited)."),
  write_idle_timeout: configDuration()
    .nullish()
    .describe("How long a client may take nothing of a response that waits for it (1m)."),
  write_min_rate: notYet(),
  max_write_chunk: notYet(),
  keepalive_interval: notYet(),
  keepalive_idle: notYet(),
  keepalive_count: notYet(),
  enable_full_duplex: notYet(),
  expected_underscore_headers: notYet(),
  expected_dot_headers: notYet(),
  errors: notYet(),
  named_routes: notYet(),
  tls_connection_policies: notYet(),
  strict_sni_host: notYet(),
  trusted_proxies: notYet(),
  client_ip_headers: notYet(),
  trusted_proxies_strict: notYet(),
  trusted_proxies_unix: notYet(),
  logs: accessLogSchema
    .nullish()
    .describe("Access log: a line for each request, to loggers `http.log.access`; absent: none."),
  listen_protocols: notYet(),
  allow_0rtt: notYet(),
  metrics: notYet(),
});

/** Config of the app `http`. Source: the public model (Caddy 2.11) */
export const httpAppSchema = z.strictObject({
  http_port: z.int().min(0).max(65_535).nullish().describe("The port of plain HTTP (80)."),
  https_port: z.int().min(0).max(65_535).nullish().describe("The port of HTTPS (443)."),
  grace_period: configDuration()
    .nullish()
    .describe("How long requests of an old config may go on (unlimited); then their connections are cut."),
  shutdown_delay: notYet(),
  metrics: notYet(),
  servers: z.record(z.string(), serverSchema).nullish().describe("Servers by name."),
});

export type HttpAppConfig = z.infer<typeof httpAppSchema>;
export type HttpServerConfig = z.infer<typeof serverSchema>;

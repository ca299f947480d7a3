import { z } from "zod";
import { configDuration, inlineModule, notYet } from "../../../core/modules/config-fields.ts";
import { headerOperationsShape } from "../../../http/header-operations.ts";

const balancingSchema = z.strictObject({
  selection_policy: inlineModule("http.reverse_proxy.selection_policies", "policy")
    .nullish()
    .describe("How the upstream of a request is chosen (random)."),
  retries: z.int().min(0).nullish().describe("How often a request that failed is tried again."),
  try_duration: configDuration().nullish().describe("How long a request that failed is tried again."),
  try_interval: configDuration().nullish().describe("Pause between two tries (250ms)."),
  retry_match: notYet(),
});

const passiveSchema = z.strictObject({
  fail_duration: configDuration()
    .nullish()
    .describe("How long a failure is remembered; 0 turns passive checks off (0)."),
  max_fails: z.int().positive().nullish().describe("Remembered failures from which an upstream is down (1)."),
  unhealthy_request_count: notYet(),
  unhealthy_status: notYet(),
  unhealthy_latency: notYet(),
});

const transportSchema = z.strictObject({
  protocol: z.literal("http", {
    error: (issue) => `transport protocol '${issue.input}' is not supported yet`,
  }),
  resolver: notYet(),
  tls: notYet(),
  keep_alive: notYet(),
  compression: notYet(),
  max_conns_per_host: notYet(),
  proxy_protocol: notYet(),
  network_proxy: notYet(),
  dial_timeout: notYet(),
  dial_fallback_delay: notYet(),
  response_header_timeout: notYet(),
  expect_continue_timeout: notYet(),
  max_response_header_size: notYet(),
  write_buffer_size: notYet(),
  read_buffer_size: notYet(),
  read_timeout: notYet(),
  write_timeout: notYet(),
  versions: notYet(),
  local_address: notYet(),
});

/** Config of the handler `reverse_proxy`. Source: the public model (Caddy 2.11) */
export const proxySchema = z.strictObject({
  upstreams: z
    .array(
      z.strictObject({
        dial: z.string().describe("`host:port`."),
        max_requests: z
          .int()
          .positive()
          .nullish()
          .describe("Requests under way from which it is unavailable."),
      }),
    )
    .nullish()
    .describe("Servers behind the proxy."),
  load_balancing: balancingSchema.nullish(),
  health_checks: z.strictObject({ passive: passiveSchema.nullish(), active: notYet() }).nullish(),
  transport: transportSchema.nullish(),
  headers: z
    .strictObject({
      request: z.strictObject(headerOperationsShape).nullish().describe("For the request to the upstream."),
      response: z
        .strictObject({ ...headerOperationsShape, deferred: notYet(), require: notYet() })
        .nullish()
        .describe("For the upstream's response."),
    })
    .nullish(),
  dynamic_upstreams: notYet(),
  circuit_breaker: notYet(),
  flush_interval: z
    .union([z.number(), z.string()])
    .nullish()
    .describe("Accepted for compatibility: everything is flushed at once."),
  rewrite: notYet(),
  trusted_proxies: notYet(),
  request_buffers: notYet(),
  response_buffers: notYet(),
  stream_timeout: notYet(),
  stream_close_delay: notYet(),
  stream_buffer_size: notYet(),
  proxy_status_name: notYet(),
  verbose_logs: notYet(),
  handle_response: notYet(),
});

export type ProxyConfig = z.infer<typeof proxySchema>;

import { headerOperationsShape } from "http-engine/header-operations";
import {
  configCount,
  configDuration,
  configTimeout,
  inlineModule,
  moduleMap,
} from "server-core/modules/config-fields";
import { z } from "zod";
import { responseMatcherSchema } from "../../matchers/response-matcher.ts";
import { responseRuleSchema } from "../intercept/response-rules.ts";
import { rewriteSchema } from "../rewrite/rewrite-config.ts";
import { activeHealthSchema } from "./health/active-config.ts";

/**
 * Rules for retries, in short:
 * - neither `retries` nor `try_duration`: only a failed dial is repeated, immediately, at a different upstream
 * - `retries` alone: at most this many further tries, `try_interval` apart
 * - `try_duration` alone: tries until the time is over, `try_interval` apart
 * - both: the first limit that is reached
 *
 * The table of failures that may be tried again is in `RetryRules`.
 */
const balancingSchema = z.strictObject({
  /**
   * Called with available upstreams only. If none is available, the request fails with 503, or waits for the next
   * attempt.
   */
  selection_policy: inlineModule("http.reverse_proxy.selection_policies", "policy")
    .nullish()
    .describe("How the upstream of a request is chosen (random)."),
  retries: configCount().nullish().describe("How often a request that failed is tried again."),
  try_duration: configDuration().nullish().describe("How long a request that failed is tried again."),
  try_interval: configDuration().nullish().describe("Pause between two tries (250ms)."),
  /** These matchers replace the default rule (safe methods); they do not extend it. */
  retry_match: z
    .array(moduleMap("http.matchers"))
    .nullish()
    .describe(
      "Requests that are tried again after an upstream may have seen them (GET). An `expression` on `{http.reverse_proxy.status_code}` or `.header.*` asks for another response.",
    ),
});

/**
 * Passive checks observe real requests. Each failure increases the upstream's count by one; after `fail_duration` the
 * count decreases again.
 * | Event | Counted as a failure |
 * |---|---|
 * | the dial failed | yes |
 * | the connection broke before the response began | yes |
 * | the response began and was cut off | no, as in Caddy |
 * | the status is in `unhealthy_status` | yes |
 * | the head took longer than `unhealthy_latency` | yes, but not a second time if the status already counted |
 */
const passiveSchema = z.strictObject({
  fail_duration: configDuration()
    .nullish()
    .describe(
      "How long a failure is remembered; 0: this proxy remembers none, and minds those of others (0).",
    ),
  max_fails: configCount().nullish().describe("Remembered failures from which an upstream is down (1)."),
  /** The effective limit is the smaller of this value and the upstream's `max_requests`. */
  unhealthy_request_count: configCount()
    .nullish()
    .describe("Requests under way from which an upstream gets no more; 0 for any number (0)."),
  unhealthy_status: z
    .array(z.int())
    .nullish()
    .describe("Statuses that count as failures; one digit stands for all that begin with it."),
  unhealthy_latency: configDuration()
    .nullish()
    .describe("Time to the head of a response that counts as a failure."),
});

/** A number of bytes. Any negative number becomes -1. */
const bufferBytes = () => z.int().transform((value) => Math.max(-1, value));

/**
 * Config of the handler `reverse_proxy`. Example with two upstreams, where a slow upstream is skipped for 30 seconds:
 * ```json
 * {
 *   "handler": "reverse_proxy",
 *   "upstreams": [{ "dial": "app1:8080" }, { "dial": "app2:8080", "max_requests": 100 }],
 *   "load_balancing": { "selection_policy": { "policy": "least_conn" }, "retries": 2 },
 *   "health_checks": { "passive": { "fail_duration": "30s", "unhealthy_latency": "2s" } }
 * }
 * ```
 * Source: Caddy 2.11
 */
export const proxySchema = z.strictObject({
  upstreams: z
    .array(
      z.strictObject({
        dial: z.string().describe("`host:port` or `unix//path`; placeholders allowed."),
        max_requests: configCount()
          .nullish()
          .describe("Requests under way from which it is unavailable; 0 for any number (0)."),
      }),
    )
    .nullish()
    .describe("Servers behind the proxy."),
  load_balancing: balancingSchema.nullish(),
  health_checks: z
    .strictObject({
      passive: passiveSchema.nullish().describe("By what becomes of requests."),
      active: activeHealthSchema.nullish().describe("By requests of the proxy's own."),
    })
    .nullish(),
  transport: inlineModule("http.reverse_proxy.transport", "protocol")
    .nullish()
    .describe("How upstreams are spoken to (http)."),
  /**
   * The changes are made after hop-by-hop fields are removed and `X-Forwarded-*` are set, so they may also replace
   * `X-Forwarded-*`.
   */
  headers: z
    .strictObject({
      request: z.strictObject(headerOperationsShape).nullish().describe("For the request to the upstream."),
      response: z
        .strictObject({
          ...headerOperationsShape,
          deferred: z
            .boolean()
            .nullish()
            .describe("Accepted for compatibility: responses are changed when they are here."),
          require: responseMatcherSchema.nullish().describe("Responses that are changed (all)."),
        })
        .nullish()
        .describe("For the upstream's response."),
    })
    .nullish(),
  /**
   * Dynamic upstreams have neither `max_requests` nor active checks. The counters of an unused address are kept for an
   * hour.
   */
  dynamic_upstreams: inlineModule("http.reverse_proxy.upstreams", "source")
    .nullish()
    .describe("Finds upstreams while requests come, in place of `upstreams`, which serve when it fails."),
  circuit_breaker: inlineModule("http.reverse_proxy.circuit_breakers", "type")
    .nullish()
    .describe("Takes upstreams out as a module of one's own decides."),
  /** Streams (no length, or an unbuffered type) are never held back, regardless of this value. */
  flush_interval: configTimeout()
    .nullish()
    .describe(
      "How long bytes of a response of known length, up to 4 KiB of them, may wait for more; 0 or a negative one: all goes out at once (0).",
    ),
  rewrite: rewriteSchema.nullish().describe("Changes the request line for the upstream only."),
  trusted_proxies: z
    .array(z.string())
    .nullish()
    .describe(
      "Addresses or CIDR ranges of proxies in front whose `X-Forwarded-*` counts, beside those of the server.",
    ),
  /** A body within the limit can be sent again on another attempt. A larger body is streamed after these bytes. */
  request_buffers: bufferBytes()
    .nullish()
    .describe("Bytes of a request that are read before it is sent on; -1 for all (0)."),
  response_buffers: bufferBytes()
    .nullish()
    .describe("Bytes of a response that are held back until more is there; -1 for all (0)."),
  stream_timeout: configDuration().nullish().describe("How long a tunnel may stand; 0 for ever (0)."),
  /** After this delay a WebSocket gets a close frame with 1001; other tunnels are cut. */
  stream_close_delay: configDuration()
    .nullish()
    .describe("How long tunnels may stand after their config is gone (for ever)."),
  stream_buffer_size: bufferBytes()
    .nullish()
    .describe(
      "Bytes of a tunnel that may wait for a slow side, each way; 0 or -1 for what sockets hold (0).",
    ),
  /** Source: RFC 9209. A name that is not a token is quoted. */
  proxy_status_name: z
    .string()
    .nullish()
    .describe("Name of this proxy in the field `Proxy-Status` of responses it fails with; none without."),
  verbose_logs: z.boolean().nullish().describe("Whether each try is logged, at level debug."),
  handle_response: z
    .array(responseRuleSchema)
    .nullish()
    .describe("What is done with responses; the first that matches counts."),
});

/** The config after validation; durations are milliseconds. */
export type ProxyConfig = z.infer<typeof proxySchema>;

import { configCount, configDuration, inlineModule } from "server-core/modules/config-fields";
import { upstreamTlsSchema } from "server-modules/handlers/reverse-proxy/transport/upstream-tls";
import { z } from "zod";

/** One server behind the proxy. Several addresses are one upstream: it is unavailable when one of them is. */
const upstreamSchema = z.strictObject({
  dial: z
    .array(z.string())
    .describe(
      "`host:port` or `unix//path`; placeholders allowed. Several addresses all get the same bytes, and all may answer.",
    ),
  local_address: z
    .array(z.string())
    .nullish()
    .describe(
      "IP addresses of this machine to dial from; the first of the upstream's family (any). Placeholders allowed.",
    ),
  resolver_preference: z
    .enum(["", "ipv4_only", "ipv6_only", "ipv4_first", "ipv6_first"])
    .nullish()
    .describe(
      "Families of addresses that a name is looked up in, and their order (both, whichever answers first).",
    ),
  tls: upstreamTlsSchema.nullish().describe("Speaks TLS with it (no TLS)."),
  max_connections: configCount()
    .nullish()
    .describe("Connections from which it is unavailable; 0 for any number (0)."),
  weight: configCount().nullish().describe("For `weighted_round_robin`: how many in a row it gets (1)."),
});

/**
 * Active checks find an upstream down before a client does. Passive checks need no extra connection. Both may be on.
 */
const healthSchema = z.strictObject({
  active: z
    .strictObject({
      port: z
        .int()
        .min(0)
        .max(65_535)
        .nullish()
        .describe("Port that is tried in place of the upstream's own."),
      interval: configDuration().nullish().describe("Time between two checks (30s)."),
      timeout: configDuration().nullish().describe("Time for a connection (5s)."),
      rise: configCount().nullish().describe("Passes in a row after which an upstream is up again (1)."),
      fall: configCount().nullish().describe("Fails in a row after which an upstream is down (1)."),
      close_if_unhealthy: z
        .boolean()
        .nullish()
        .describe("Whether connections to an upstream are cut when it is found down (false)."),
    })
    .nullish()
    .describe("By connections of the proxy's own."),
  passive: z
    .strictObject({
      fail_duration: configDuration()
        .nullish()
        .describe("How long a failure to connect is remembered; 0 turns passive checks off (0)."),
      max_fails: configCount().nullish().describe("Remembered failures from which an upstream is down (1)."),
      unhealthy_connection_count: configCount()
        .nullish()
        .describe("`max_connections` of upstreams that have none of their own; 0 for any number (0)."),
    })
    .nullish()
    .describe("By what becomes of connections."),
});

/** Config of the handler `proxy`. Source: caddy-l4, `layer4.handlers.proxy` */
export const proxySchema = z.strictObject({
  upstreams: z.array(upstreamSchema).nullish().describe("Servers behind the proxy; one at least."),
  load_balancing: z
    .strictObject({
      selection: inlineModule("layer4.proxy.selection_policies", "policy")
        .nullish()
        .describe("How the upstream of a connection is chosen (random)."),
      try_duration: configDuration()
        .nullish()
        .describe("How long another upstream is tried after one failed (0)."),
      try_interval: configDuration().nullish().describe("Pause between two tries (250ms)."),
    })
    .nullish(),
  health_checks: healthSchema.nullish(),
  proxy_protocol: z
    .enum(["", "v1", "v2"])
    .nullish()
    .describe("Version of the PROXY protocol header that upstreams get first (none)."),
});

export type ProxyConfig = z.infer<typeof proxySchema>;
export type UpstreamConfig = z.infer<typeof upstreamSchema>;

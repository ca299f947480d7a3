import { resolveSrv as resolveSrvWithSystem, type SrvRecord } from "node:dns";
import { compileTemplate } from "http-engine/placeholders";
import { ServerError } from "server-core/errors";
import { configDuration, configTimeout } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { makeResolver, resolverSchema } from "../transport/resolver.ts";
import { LookupCache } from "./lookup-cache.ts";
import type { UpstreamSource } from "./upstream-source.ts";

/** Default of `refresh`: records are used for this time, regardless of their TTL. */
const defaultRefreshMs = 60_000;

/** Sorts by priority, then randomly by weight. Source: RFC 2782 */
function inOrder(records: readonly SrvRecord[]): SrvRecord[] {
  return records
    .map((record) => ({ record, draw: Math.random() ** (1 / Math.max(record.weight, 0.01)) }))
    .sort((a, b) => a.record.priority - b.record.priority || b.draw - a.draw)
    .map(({ record }) => record);
}

/**
 * Upstreams by SRV records. `service: "http", proto: "tcp", name: "example.com"` looks up `_http._tcp.example.com`;
 * `name` alone is looked up unchanged. The target and port of each record are an upstream, whose name is resolved when
 * it is dialed. Source: Caddy 2.11
 */
export const srvUpstreams = defineModule({
  id: "http.reverse_proxy.upstreams.srv",
  config: z.strictObject({
    /** Without service and protocol the name is looked up unchanged. */
    service: z.string().nullish().describe("Service, without underscore; placeholders allowed."),
    proto: z.string().nullish().describe("Protocol, without underscore: tcp, udp; placeholders allowed."),
    name: z
      .string()
      .nullish()
      .describe("Domain; alone it is the whole name to look up. Placeholders allowed."),
    refresh: configDuration().nullish().describe("Time until names are looked up again (1m)."),
    /**
     * The time is counted from the failed look-up. 0: requests fail immediately, unless the config lists upstreams too.
     */
    grace_period: configDuration().nullish().describe("How long old records serve when a look-up fails (0)."),
    resolver: resolverSchema.nullish().describe("Name servers (the system's)."),
    dial_timeout: configDuration()
      .nullish()
      .describe("How long a name server of `resolver` is waited for, each of two times (2s)."),
    dial_fallback_delay: configTimeout()
      .nullish()
      .describe("Name servers have one address each: there is none to fall back to."),
    dial_network: z
      .enum(["", "tcp", "tcp4", "tcp6"])
      .nullish()
      .describe("Network that upstreams are dialed in (tcp)."),
  }),
  provision(config): UpstreamSource {
    if (!config.name) {
      throw new ServerError("MODULE_CONFIG", "dynamic_upstreams: srv needs a name");
    }
    const [service, proto, name] = [config.service, config.proto, config.name].map((text) =>
      compileTemplate(text ?? ""),
    );
    const resolver = makeResolver(config.resolver, config.dial_timeout);
    const cache = new LookupCache(config.refresh || defaultRefreshMs, config.grace_period ?? 0);
    const network = config.dial_network ? `${config.dial_network}/` : "";
    const look = (full: string): Promise<string[]> =>
      new Promise((resolve, reject) => {
        const done = (error: Error | null, records: SrvRecord[]) => {
          if (error !== null) {
            reject(error);
          } else {
            resolve(
              inOrder(records).map((record) => `${network}${record.name.replace(/\.$/, "")}:${record.port}`),
            );
          }
        };
        if (resolver === undefined) {
          resolveSrvWithSystem(full, done);
        } else {
          resolver.resolveSrv(full, done);
        }
      });
    return {
      find(exchange, again) {
        const [of, by, domain] = [service?.(exchange) ?? "", proto?.(exchange) ?? "", name?.(exchange) ?? ""];
        const full = of === "" && by === "" ? domain : `_${of}._${by}.${domain}`;
        return cache.get(full, again, () => look(full));
      },
    };
  },
});

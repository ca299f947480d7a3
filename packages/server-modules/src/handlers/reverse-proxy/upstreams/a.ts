import { promisify } from "node:util";
import { compileTemplate } from "http-engine/placeholders";
import { ServerError } from "server-core/errors";
import { configDuration, configTimeout } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { nameLookups } from "../transport/name-lookups.ts";
import { makeResolver, resolverSchema } from "../transport/resolver.ts";
import { LookupCache } from "./lookup-cache.ts";
import type { UpstreamSource } from "./upstream-source.ts";

/**
 * Default of `refresh` in milliseconds: addresses are used for this time, regardless of the records' TTL, as in
 * Caddy.
 */
const defaultRefreshMs = 60_000;

/**
 * Upstreams from the A and AAAA records of a name. `{ "source": "a", "name": "app.internal", "port": "8080" }` dials
 * every address of the name at this port. IPv6 addresses get brackets. It is enough if the name has addresses of one
 * family. Source: Caddy 2.11
 */
export const aUpstreams = defineModule({
  id: "http.reverse_proxy.upstreams.a",
  config: z.strictObject({
    name: z.string().nullish().describe("Name to look up; placeholders allowed."),
    port: z.string().nullish().describe("Port of the upstreams (80); placeholders allowed."),
    /** Addresses are looked up earlier when a request to one of them failed. */
    refresh: configDuration().nullish().describe("Time until names are looked up again (1m)."),
    resolver: resolverSchema.nullish().describe("Name servers (the system's)."),
    dial_timeout: configDuration()
      .nullish()
      .describe("How long a name server of `resolver` is waited for, each of two times (2s)."),
    dial_fallback_delay: configTimeout()
      .nullish()
      .describe("Name servers have one address each: there is none to fall back to."),
    /** Setting only `ipv4` or only `ipv6` to true disables the other family. */
    versions: z
      .strictObject({
        ipv4: z.boolean().nullish().describe("Whether IPv4 addresses are looked for."),
        ipv6: z.boolean().nullish().describe("Whether IPv6 addresses are looked for."),
      })
      .nullish()
      .describe("Kinds of addresses (both)."),
  }),
  provision(config): UpstreamSource {
    if (!config.name) {
      throw new ServerError("MODULE_CONFIG", "dynamic_upstreams: a needs a name");
    }
    const name = compileTemplate(config.name);
    const port = compileTemplate(config.port || "80");
    const ipv4 = config.versions?.ipv4 ?? !config.versions?.ipv6;
    const ipv6 = config.versions?.ipv6 ?? !config.versions?.ipv4;
    const resolver = makeResolver(config.resolver, config.dial_timeout);
    const cache = new LookupCache(config.refresh || defaultRefreshMs, 0);
    const look = async (host: string): Promise<string[]> => {
      if (resolver === undefined) {
        const found = await nameLookups.find(host, ipv4 === ipv6 ? 0 : ipv4 ? 4 : 6);
        return found.map(({ address }) => address);
      }
      const [four, six] = await Promise.allSettled([
        ipv4
          ? promisify(
              resolver.resolve4.bind(resolver) as (
                name: string,
                done: (error: Error | null, found: string[]) => void,
              ) => void,
            )(host)
          : [],
        ipv6
          ? promisify(
              resolver.resolve6.bind(resolver) as (
                name: string,
                done: (error: Error | null, found: string[]) => void,
              ) => void,
            )(host)
          : [],
      ]);
      const found = [four, six].flatMap((each) => (each.status === "fulfilled" ? each.value : []));
      const failure = [four, six].find((each) => each.status === "rejected");
      if (found.length === 0 && failure?.status === "rejected") {
        throw failure.reason;
      }
      return found;
    };
    return {
      find(exchange, again) {
        const [host, at] = [name(exchange), port(exchange)];
        return cache.get(`${host} ${at}`, again, async () =>
          (await look(host)).map((address) =>
            address.includes(":") ? `[${address}]:${at}` : `${address}:${at}`,
          ),
        );
      },
    };
  },
});

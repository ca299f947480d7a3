import { dnsServers } from "certificates/tls/dns/dns-servers";
import { configDuration, inlineModule, notYet } from "server-core/modules/config-fields";
import { z } from "zod";
import { isRange } from "./wanted-ranges.ts";

/** A list of ranges in CIDR form. An address without a length is refused. */
const ranges = (what: string) =>
  z
    .array(z.string().refine(isRange, { error: "a CIDR range is expected, as 192.0.2.0/24" }))
    .nullish()
    .describe(what);

/**
 * Config of the app `dynamic_dns`. Example that keeps `home.example.com` and `example.com` on this machine:
 * ```json
 * {
 *   "dns_provider": { "name": "cloudflare", "api_token": "{env.CF_TOKEN}" },
 *   "domains": { "example.com": ["home", "@"] },
 *   "versions": { "ipv6": false },
 *   "check_interval": "10m"
 * }
 * ```
 * Source: mholt/caddy-dynamicdns
 */
export const dynamicDnsSchema = z.strictObject({
  ip_sources: z
    .array(inlineModule("dynamic_dns.ip_sources", "source"))
    .nullish()
    .describe("Ways to find the public addresses; the first that knows any counts (`simple_http`)."),
  dns_provider: inlineModule("dns.providers", "name")
    .nullish()
    .describe("Provider whose records are changed; needed."),
  domains: z
    .record(z.string(), z.array(z.string()).nullable())
    .nullish()
    .describe("Names of records by zone, relative to it; `@`, or no name at all, is the zone itself."),
  update_only: z
    .boolean()
    .nullish()
    .describe("Whether only names that have a record of the kind get the address (false)."),
  dynamic_domains: z
    .union([z.literal(false), notYet("list the names in `domains`")])
    .nullish()
    .describe("Whether names of sites are added by themselves; not supported yet (false)."),
  versions: z
    .strictObject({
      ipv4: z.boolean().nullish().describe("Whether A records are kept (true)."),
      ipv6: z.boolean().nullish().describe("Whether AAAA records are kept (true)."),
    })
    .nullish()
    .describe("Kinds of addresses."),
  include: ranges("Ranges of addresses that count; the narrowest of `include` and `exclude` decides (all)."),
  exclude: ranges("Ranges of addresses that do not count (none)."),
  check_interval: configDuration().nullish().describe("Time between two checks, at least a second (30m)."),
  ttl: configDuration().nullish().describe("Time for which others may keep a record (5m)."),
  resolvers: dnsServers()
    .nullish()
    .describe(
      "DNS servers that are asked for the addresses of a name before its first change (the system's).",
    ),
});

/** The config after validation; durations are milliseconds. */
export type DynamicDnsConfig = z.infer<typeof dynamicDnsSchema>;

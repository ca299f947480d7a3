import type { IpSource } from "http-engine/ip-source";
import { configDuration } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { z } from "zod";
import { FetchedRanges, fetchedRanges, type RangeList, rangesOfLines } from "./fetched-ranges.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Fields common to all lists. */
const times = (usual: string) => ({
  interval: configDuration().nullish().describe(`How often the list is fetched anew (${usual}).`),
  timeout: configDuration().nullish().describe("How long a fetch may take (30s)."),
});

/** Creates the source of a published list; configs with the same list share it. */
async function sourceOf(context: ModuleContext, list: RangeList): Promise<IpSource> {
  const key = JSON.stringify([list.urls, list.intervalMs, list.timeoutMs]);
  const lease = await context.acquire(fetchedRanges, key, () =>
    FetchedRanges.open(list, context.dataFolder, context.log),
  );
  return { contains: (address) => lease.value.contains(address) };
}

/** A JSON object whose members are checked later. */
const listsSchema = z.record(z.string(), z.unknown());

/** The ranges in members of a JSON object. @throws Error when the object lacks one of the members */
function rangesOfMembers(text: string, members: readonly string[]): string[] {
  const lists = listsSchema.parse(JSON.parse(text));
  return members.flatMap((name) => z.array(z.string()).parse(lists[name]));
}

/** A provider that publishes its ranges, by name. */
interface Publisher {
  /** URLs of the lists. */
  readonly urls: readonly string[];
  /** Default interval between fetches, in milliseconds. */
  readonly usualMs: number;
  /** The default interval as text, for the reference. */
  readonly usual: string;
  /** Parses the ranges of one list. */
  readonly parse: (text: string) => string[];
}

/** Sources: the providers' pages about their addresses */
export const publishers = {
  cloudflare: {
    urls: ["https://www.cloudflare.com/ips-v4", "https://www.cloudflare.com/ips-v6"],
    usualMs: hourMs,
    usual: "1h",
    parse: rangesOfLines,
  },
  cloudfront: {
    urls: ["https://d7uri8nf7uskq.cloudfront.net/tools/list-cloudfront-ips"],
    usualMs: dayMs,
    usual: "24h",
    parse: (text) => rangesOfMembers(text, ["CLOUDFRONT_GLOBAL_IP_LIST", "CLOUDFRONT_REGIONAL_EDGE_IP_LIST"]),
  },
  fastly: {
    urls: ["https://api.fastly.com/public-ip-list"],
    usualMs: dayMs,
    usual: "24h",
    parse: (text) => rangesOfMembers(text, ["addresses", "ipv6_addresses"]),
  },
} as const satisfies Record<string, Publisher>;

/** Defines the module of one publisher. A site starts without the list, and trusts no address until it arrives. */
function publishedSource(name: keyof typeof publishers) {
  const { urls, usualMs, usual, parse } = publishers[name];
  return defineModule({
    id: `http.ip_sources.${name}`,
    config: z.strictObject(times(usual)),
    provision: ({ interval, timeout }, context) =>
      sourceOf(context, {
        name,
        urls,
        intervalMs: interval || usualMs,
        timeoutMs: timeout || undefined,
        isNeeded: false,
        parse,
      }),
  });
}

/** Both lists are fetched together and must be valid. */
export const cloudflareIpSource = publishedSource("cloudflare");
/** Addresses of all edges, global and regional. */
export const cloudfrontIpSource = publishedSource("cloudfront");
/** One list with the addresses of both families. */
export const fastlyIpSource = publishedSource("fastly");

/** Lists at configured URLs, with one range per line. */
export const listIpSource = defineModule({
  id: "http.ip_sources.list",
  config: z.strictObject({
    url: z
      .array(z.url({ protocol: /^https?$/ }))
      .min(1)
      .describe("Where the lists are: a range a line, comments after `#`."),
    ...times("1h"),
    retries: z
      .int()
      .min(0)
      .nullish()
      .describe("Taken for the public model's sake: a failed fetch is tried again after a minute."),
    cache_file: z
      .string()
      .nullish()
      .describe("Taken for the public model's sake: the last copy lies in the data folder."),
  }),
  provision: ({ url, interval, timeout }, context) =>
    sourceOf(context, {
      name: "list",
      urls: url.map((each) => replaceAll(each)),
      intervalMs: interval || hourMs,
      timeoutMs: timeout || undefined,
      isNeeded: true,
      parse: rangesOfLines,
    }),
});

import type { Exchange } from "http-engine/exchange";
import { type HttpHandler, type HttpMatcher, httpMatchers } from "http-engine/handler";
import { HttpError } from "http-engine/http-error";
import { whenKnown } from "http-engine/pending-match";
import { compileTemplate, type Template } from "http-engine/placeholders";
import { errorWithin } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { configDuration, moduleMap, notYet } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { maskAddress } from "server-core/net/mask-address";
import { z } from "zod";
import { type Arrival, ArrivalTable, arrivalTableBytes, type Quota } from "./arrival-table.ts";

/** Default limit of a zone's keys: 1 MiB of shared memory. */
const defaultMaxKeys = 65_536;

/** A quota, and the requests to which it applies. */
const zoneSchema = z.strictObject({
  /** Without matcher sets, the zone counts every request of the route. */
  match: z
    .array(moduleMap("http.matchers"))
    .nullish()
    .describe("Sets of matchers: requests that the zone counts (all)."),
  /** An absent key counts all requests together. */
  key: z
    .string()
    .nullish()
    .describe(
      "What is counted apart: `{http.vars.client_ip}`, a header, … ; a fixed text counts all together.",
    ),
  window: configDuration()
    .refine((ms) => ms > 0, { error: "window must be longer than nothing" })
    .describe("Length of the window that slides."),
  /** The burst equals the quota: all events may arrive at once. */
  max_events: z.int().positive().describe("Requests in a window; so many may come at once."),
  ipv4_prefix: z
    .int()
    .min(0)
    .max(32)
    .nullish()
    .describe(
      "Bits of a key that is an IPv4 address which are told apart: 24 counts a network together (32).",
    ),
  ipv6_prefix: z
    .int()
    .min(0)
    .max(128)
    .nullish()
    .describe(
      "Bits of a key that is an IPv6 address which are told apart: 64 counts a network together (128).",
    ),
  max_keys: z
    .int()
    .positive()
    .max(16_777_216)
    .nullish()
    .describe("Keys that are told apart, 16 bytes each; then the quietest is forgotten (65536)."),
});

interface Zone {
  /** Name of the zone, for its placeholder and the log. */
  readonly name: string;
  /** Requests that a key may make within the window; further requests are refused. */
  readonly quota: Quota;
  /** Template of the key: requests with the same text share the quota. */
  readonly key: Template;
  /**
   * Selects the requests that the zone counts: at least one set must match. Without sets, the zone counts all requests.
   */
  readonly matcherSets: readonly (readonly HttpMatcher[])[];
  /** Due times by key, in memory shared by all threads. */
  readonly table: ArrivalTable;
  /** Value of `RateLimit-Policy`. */
  readonly policy: string;
}

/** A clock that is equal in all threads, in microseconds. */
function nowUs(): number {
  return (performance.timeOrigin + performance.now()) * 1000;
}

/** Whole seconds, rounded up, as the header fields require. */
const seconds = (us: number) => Math.max(0, Math.ceil(us / 1e6));

/** True when the zone counts the request: all matchers of at least one set match. */
async function counts(zone: Zone, exchange: Exchange): Promise<boolean> {
  if (zone.matcherSets.length === 0) {
    return true;
  }
  for (const set of zone.matcherSets) {
    let all = true;
    for (const matcher of set) {
      all &&= await whenKnown(() => matcher.matches(exchange));
    }
    if (all) {
      return true;
    }
  }
  return false;
}

/**
 * Template of a zone's key, with addresses cut to their network. 0 bits mean the whole address. Source: Caddy's plug-in
 */
function compileKey({ key, ipv4_prefix: four, ipv6_prefix: six }: z.infer<typeof zoneSchema>): Template {
  const template = compileTemplate(key ?? "");
  if (!four && !six) {
    return template;
  }
  return (exchange) => maskAddress(template(exchange), four || 32, six || 128);
}

/** Loads the matchers of a zone. @param path config path of the zone, for messages */
async function loadMatchers(
  match: z.infer<typeof zoneSchema>["match"],
  context: ModuleContext,
  path: string,
): Promise<HttpMatcher[][]> {
  const sets: HttpMatcher[][] = [];
  for (const [position, modules] of (match ?? []).entries()) {
    const set: HttpMatcher[] = [];
    for (const [name, config] of Object.entries(modules)) {
      set.push(
        await context.load(httpMatchers, name, config as JsonValue, `${path}/match/${position}/${name}`),
      );
    }
    sets.push(set);
  }
  return sets;
}

/**
 * Adds the remaining quota to the response headers. Several zones add several values. Source:
 * draft-ietf-httpapi-ratelimit-headers-10
 */
function tell(exchange: Exchange, zone: Zone, arrival: Arrival): void {
  const reset = seconds(arrival.fullUs);
  exchange.responseHeaders.push("RateLimit-Policy", zone.policy);
  exchange.responseHeaders.push("RateLimit", `"${zone.name}";r=${arrival.remaining};t=${reset}`);
}

/**
 * Limits the rate of requests, over all threads and reloads. Requests above the rate get 429 with `Retry-After`, and
 * header fields report the remaining quota. In Caddy only a plugin does this; the config uses the plugin's
 * names.
 * | Response field | Example | Meaning |
 * |---|---|---|
 * | `RateLimit-Policy` | `"logins";q=10;w=60` | 10 events in 60 s |
 * | `RateLimit` | `"logins";r=3;t=42` | 3 events are left; after 42 s all 10 are available |
 * | `Retry-After` | `6` | only with 429: seconds until the next event is allowed |
 * Source: draft-ietf-httpapi-ratelimit-headers-10; RFC 6585 section 4
 */
export const rateLimit = defineModule({
  id: "http.handlers.rate_limit",
  config: z.strictObject({
    rate_limits: z
      .record(
        z.string().regex(/^[\w.-]{1,64}$/, { error: "a zone's name has letters, digits, . _ - only" }),
        zoneSchema,
      )
      .describe("Zones by name; a request must pass all that count it."),
    jitter: z
      .number()
      .min(0)
      .max(1)
      .nullish()
      .describe(
        "Share by which `Retry-After` is longer at most, at random, so that clients come back apart (0).",
      ),
    log_key: z.boolean().nullish().describe("Whether the key of a refused request is logged (false)."),
    sweep_interval: configDuration()
      .nullish()
      .describe("Taken for the plug-in's sake: keys take no memory that must be swept."),
    disable_metrics: z
      .boolean()
      .nullish()
      .describe("Taken for the plug-in's sake: no metric has the name of a zone or a key."),
    storage: notYet("each server counts for itself"),
    distributed: notYet("each server counts for itself"),
  }),
  async provision(config, context): Promise<HttpHandler> {
    const zones: Zone[] = [];
    for (const [name, each] of Object.entries(config.rate_limits)) {
      const bytes = arrivalTableBytes(each.max_keys ?? defaultMaxKeys);
      try {
        zones.push({
          name,
          quota: { maxEvents: each.max_events, windowUs: each.window * 1000 },
          key: compileKey(each),
          matcherSets: await loadMatchers(each.match, context, `rate_limits/${name}`),
          table: new ArrivalTable(await context.shared.memory(`http.handlers.rate_limit/${name}`, bytes)),
          policy: `"${name}";q=${each.max_events};w=${Math.max(1, Math.round(each.window / 1000))}`,
        });
      } catch (error) {
        throw errorWithin(`rate limit zone '${name}'`, error);
      }
    }
    const anyMatchers = zones.some((zone) => zone.matcherSets.length > 0);

    function pass(exchange: Exchange, zone: Zone): void {
      const arrival = zone.table.take(zone.key(exchange), zone.quota, nowUs());
      tell(exchange, zone, arrival);
      if (!arrival.allowed) {
        const waitUs = arrival.waitUs * (1 + Math.random() * (config.jitter ?? 0));
        exchange.responseHeaders.push("Retry-After", String(Math.max(1, seconds(waitUs))));
        if (config.log_key) {
          context.log.info(
            `rate limit of zone '${zone.name}' exceeded by ${JSON.stringify(zone.key(exchange))}`,
          );
        }
        throw new HttpError(429, `rate limit of zone '${zone.name}' exceeded`);
      }
    }

    if (!anyMatchers) {
      return {
        handle(exchange, next) {
          for (const zone of zones) {
            pass(exchange, zone);
          }
          return next(exchange);
        },
      };
    }
    return {
      async handle(exchange, next) {
        for (const zone of zones) {
          if (await counts(zone, exchange)) {
            pass(exchange, zone);
          }
        }
        return next(exchange);
      },
    };
  },
});

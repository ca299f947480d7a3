import { setTimeout as wait } from "node:timers/promises";
import { type DnsProvider, dnsProviders } from "certificates/tls/dns/dns-provider";
import type { Logger } from "lifecycle";
import { errorWithin, messageOf, ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { type App, defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { type DynamicDnsConfig, dynamicDnsSchema } from "./dynamic-dns-config.ts";
import { type IpSource, ipSources, isVersionWanted, type PublicAddress } from "./ip-source.ts";
import { KnownAddresses } from "./known-addresses.ts";
import { providesAddress } from "./provides-address.ts";
import { defaultEndpoints, SimpleHttp } from "./simple-http.ts";

/** Default interval between checks, in milliseconds. Source: mholt/caddy-dynamicdns */
const defaultIntervalMs = 30 * 60_000;
/** Pause after a failed first check: at boot the network may still be down. Source: mholt/caddy-dynamicdns */
const firstRetryMs = 5_000;
/** Longest pause after failed checks, in milliseconds. Each failure doubles the pause up to this limit. */
const longestRetryMs = 5 * 60_000;
/** Default TTL of records, in milliseconds. Most providers refuse a shorter TTL. */
const defaultTtlMs = 5 * 60_000;

/** Joins the name of a record with its zone. The name `@` means the zone itself. */
export function fullName(name: string, zone: string): string {
  const bare = zone.replace(/\.$/, "").toLowerCase();
  return name === "@" || name === "" ? bare : `${name.toLowerCase()}.${bare}`;
}

/** One object, so that all functions of a check share the provider, the known addresses and the log. */
interface CheckTools {
  readonly provider: DnsProvider;
  readonly sources: readonly { readonly name: string; readonly source: IpSource }[];
  readonly known: KnownAddresses;
  readonly log: Logger;
}

/**
 * Compares the addresses of this machine with those of its names, and changes the records. For each name and
 * each address of a check:
 * | Records of the kind | Then |
 * |---|---|
 * | exactly the address | nothing |
 * | none, `update_only` | nothing |
 * | none | a record is made |
 * | others | a record is made, then the others are removed |
 *
 * A name that fails does not stop the other names. Records are not read from the provider. The first check asks DNS;
 * later checks read the addresses that this app stored.
 */
export class AddressCheck {
  readonly #config: DynamicDnsConfig;
  readonly #tools: CheckTools;

  constructor(config: DynamicDnsConfig, tools: CheckTools) {
    this.#config = config;
    this.#tools = tools;
  }

  /** @throws Error when no source knows an address, or a record was not changed; the next check tries again */
  async run(signal: AbortSignal): Promise<void> {
    const addresses = await this.#addresses(signal);
    const failed: string[] = [];
    for (const [zone, names] of Object.entries(this.#config.domains ?? {})) {
      for (const name of names?.length ? names : ["@"]) {
        for (const address of addresses) {
          signal.throwIfAborted();
          const full = fullName(name, zone);
          try {
            await this.#update(full, address);
          } catch (error) {
            failed.push(`${full}: ${messageOf(error)}`);
          }
        }
      }
    }
    if (failed.length > 0) {
      throw new Error(failed.join("; ").slice(0, 2_000));
    }
  }

  /** Addresses from the first source that has any. */
  async #addresses(signal: AbortSignal): Promise<readonly PublicAddress[]> {
    const reasons: string[] = [];
    for (const { name, source } of this.#tools.sources) {
      try {
        const found = await source.addresses(this.#config, signal);
        const wanted = found.filter((address) => isVersionWanted(this.#config, address));
        if (wanted.length > 0) {
          return wanted;
        }
        reasons.push(`${name}: no address`);
      } catch (error) {
        signal.throwIfAborted();
        reasons.push(`${name}: ${messageOf(error)}`);
      }
    }
    throw new Error(`no IP source knows an address: ${reasons.join("; ")}`);
  }

  async #update(name: string, { ip, type }: PublicAddress): Promise<void> {
    const { provider, known, log } = this.#tools;
    const before = await known.of(name, type);
    if (before.length === 0 && this.#config.update_only) {
      log.debug(`dynamic_dns: ${name} has no ${type} record, and update_only makes none`);
      return;
    }
    if (before.length === 1 && before[0] === ip) {
      return;
    }
    const ttlSeconds = Math.round((this.#config.ttl || defaultTtlMs) / 1000);
    // The new record is created first, so the name always has a record.
    await provider.present(name, ip, ttlSeconds, type);
    for (const old of before.filter((each) => each !== ip)) {
      await provider.remove(name, old, type);
    }
    await known.set(name, type, ip);
    log.info(
      `dynamic_dns: ${name} is ${ip} now${before.length === 0 ? "" : `, and was ${before.join(", ")}`}`,
    );
  }
}

/**
 * The app `dynamic_dns`: keeps DNS names pointed to this machine. The app runs in the main thread. Checks never
 * overlap. After a failure the next check starts after 5 s, then 10 s, doubling up to 5 minutes, but never later than
 * the interval.
 */
class DynamicDnsApp implements App {
  readonly #check: AddressCheck;
  readonly #intervalMs: number;
  readonly #log: Logger;
  /** Aborts the pause, or the running check. */
  readonly #stop = new AbortController();
  /** Promise of the check loop. `stop` awaits the promise. */
  #running: Promise<void> | undefined;

  constructor(check: AddressCheck, intervalMs: number, log: Logger) {
    this.#check = check;
    this.#intervalMs = intervalMs;
    this.#log = log;
  }

  async start(): Promise<void> {}

  activate(): void {
    this.#running = this.#checkAgainAndAgain();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Repeats the check until the app stops. */
  async #checkAgainAndAgain(): Promise<void> {
    const { signal } = this.#stop;
    let retryMs = firstRetryMs;
    while (!signal.aborted) {
      let pauseMs = this.#intervalMs;
      try {
        await this.#check.run(signal);
        retryMs = firstRetryMs;
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        pauseMs = Math.min(retryMs, this.#intervalMs);
        retryMs = Math.min(retryMs * 2, longestRetryMs);
        this.#log.error(`dynamic_dns: tried again in ${Math.round(pauseMs / 1000)} s: ${messageOf(error)}`);
      }
      await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}

/** Loads the sources in the order of the config. Default: `simple_http` with its default addresses. */
async function loadSources(config: DynamicDnsConfig, context: ModuleContext): Promise<CheckTools["sources"]> {
  const loaded: { name: string; source: IpSource }[] = [];
  for (const [position, each] of (config.ip_sources ?? []).entries()) {
    try {
      const path = `ip_sources/${position}`;
      const source = await context.loadInline(ipSources, "source", each as JsonValue, path);
      loaded.push({ name: String(each.source), source });
    } catch (error) {
      throw errorWithin(`ip_sources: position ${position}`, error);
    }
  }
  return loaded.length > 0 ? loaded : [{ name: "simple_http", source: new SimpleHttp(defaultEndpoints) }];
}

/**
 * Loads the DNS provider. @throws ServerError MODULE_CONFIG when none is configured, or the provider has no address
 * records
 */
async function loadProvider(config: DynamicDnsConfig, context: ModuleContext): Promise<DnsProvider> {
  const given = config.dns_provider;
  if (!given) {
    throw new ServerError("MODULE_CONFIG", "dns_provider: a DNS provider is required");
  }
  const name = String(given.name);
  if (!providesAddress(name)) {
    throw new ServerError("MODULE_CONFIG", `dns_provider: ${name} has no address records`);
  }
  try {
    return await context.loadInline(dnsProviders, "name", given as JsonValue, "dns_provider");
  } catch (error) {
    throw errorWithin("dns_provider", error);
  }
}

/**
 * Runs in the main thread only. Providers do not wait until a new record is visible in DNS: the next check compares
 * with the stored addresses.
 */
export const dynamicDnsApp = defineModule({
  id: "dynamic_dns",
  config: dynamicDnsSchema,
  async provision(config, context): Promise<App> {
    const intervalMs = config.check_interval || defaultIntervalMs;
    if (intervalMs < 1_000) {
      throw new ServerError("MODULE_CONFIG", "check_interval must be at least 1 second");
    }
    const provider = await loadProvider(config, context);
    const sources = await loadSources(config, context);
    const { storage, log } = context;
    const known = new KnownAddresses(storage, config.resolvers ?? []);
    return new DynamicDnsApp(new AddressCheck(config, { provider, sources, known, log }), intervalMs, log);
  },
});

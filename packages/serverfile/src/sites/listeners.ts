import { messageOf, ServerError } from "server-core/errors";
import {
  formatNetworkAddress,
  joinNetworkAddress,
  parseNetworkAddress,
  splitNetworkAddress,
} from "../addresses/network-address.ts";
import { formatSiteAddress, parseSiteAddress, type SiteAddress } from "../addresses/site-address.ts";
import { type GlobalOptions, httpPortOf, httpsPortOf } from "./global-options.ts";
import { type ReadSite, resultsOf, type ServedSite } from "./site.ts";

/** A listen address with its protocols; an empty list means the default protocols. */
export interface Listener {
  readonly address: string;
  readonly protocols: readonly string[];
}

/** Sites with the same listeners, which together become one server. */
export interface ServerSites {
  readonly listeners: readonly Listener[];
  readonly sites: readonly ServedSite[];
}

/**
 * The port of a site's address: the given port, or the default port of the scheme.
 * @throws Error for an unknown scheme, for HTTP on the HTTPS port, and for HTTPS on the HTTP port
 */
function portOf(address: SiteAddress, options: GlobalOptions): number {
  const { scheme } = address;
  if (scheme === "ws" || scheme === "wss") {
    const instead = scheme === "ws" ? "http" : "https";
    throw new Error(`the scheme ${scheme}:// is only supported in browsers; use ${instead}:// instead`);
  }
  if (!["", "http", "https"].includes(scheme)) {
    throw new Error(`unsupported URL scheme ${scheme}://`);
  }
  const [http, https] = [httpPortOf(options), httpsPortOf(options)];
  const port = address.port === "" ? (scheme === "http" ? http : https) : Number(address.port);
  if ((scheme === "http" && port === https) || (scheme === "https" && port === http)) {
    throw new Error(`[${formatSiteAddress(address)}] scheme and port violate convention`);
  }
  return port;
}

/**
 * Protocols by listen address for a site address; "" is the default protocol. A site without `bind` uses
 * `default_bind`.
 */
function listenersOf(site: ReadSite, address: SiteAddress, options: GlobalOptions): Map<string, Set<string>> {
  const port = portOf(address, options);
  const own = resultsOf(site, "bind").map(({ bind }) => bind);
  const binds = own.length > 0 ? own : (options.defaultBind ?? [{ addresses: [""], protocols: [] }]);
  const listeners = new Map<string, Set<string>>();
  for (const { addresses, protocols } of binds) {
    for (const each of addresses) {
      const { network, host } = splitNetworkAddress(each);
      const parsed = parseNetworkAddress(joinNetworkAddress(network, host, `${port}`));
      listeners.set(formatNetworkAddress(parsed), new Set(protocols));
    }
  }
  return listeners;
}

/** A site on a listen address, with the site's addresses that use this listen address. */
interface Entry {
  readonly served: ServedSite;
  /** Id of the addresses and the site, for comparison. */
  readonly id: string;
}

/** Sites by protocol; "" is the default. */
type ByProtocol = Map<string, Entry[]>;

/** Returns the value of a key; a missing value is created. */
function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const present = map.get(key);
  if (present !== undefined) {
    return present;
  }
  const made = make();
  map.set(key, made);
  return made;
}

/** Compares code units, as Caddy does, independent of the user's language. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Maps each listen address and protocol to its sites. */
function mapListeners(sites: readonly ReadSite[], options: GlobalOptions): Map<string, ByProtocol> {
  const byAddress = new Map<string, ByProtocol>();
  sites.forEach((site, siteIndex) => {
    const keysOf = new Map<string, Map<string, { key: string; address: SiteAddress; index: number }[]>>();
    site.block.keys.forEach(({ text: key, file, line }, index) => {
      try {
        const address = parseSiteAddress(key);
        for (const [listen, protocols] of listenersOf(site, address, options)) {
          const byProtocol = getOrMake(keysOf, listen, () => new Map());
          for (const protocol of protocols.size === 0 ? [""] : protocols) {
            getOrMake(byProtocol, protocol, () => []).push({ key, address, index });
          }
        }
      } catch (error) {
        throw new ServerError(
          "CONFIG_ADAPTER",
          `server block ${siteIndex}, key ${index} (${key}): determining listener address: ${messageOf(error)}, at ${file}:${line}`,
          { cause: error },
        );
      }
    });
    for (const [listen, byProtocol] of keysOf) {
      for (const [protocol, keys] of byProtocol) {
        const served: ServedSite = {
          site,
          addresses: keys.map(({ address }) => address),
          keys: keys.map(({ key }) => key),
        };
        const id = `${siteIndex}:${keys.map(({ index }) => index).join(",")}`;
        const target = getOrMake(byAddress, listen, () => new Map());
        getOrMake(target, protocol, () => []).push({ served, id });
      }
    }
  });
  return byAddress;
}

/** A text that identifies the sites of an address and a protocol. */
function idOf(entries: readonly Entry[]): string {
  return entries.map(({ id }) => id).join(";");
}

/** All listen addresses with their protocols, grouped by the sites that they serve. */
function addressesById(
  byAddress: readonly (readonly [string, ByProtocol])[],
): Map<string, Map<string, string[]>> {
  const byId = new Map<string, Map<string, string[]>>();
  for (const [address, byProtocol] of byAddress) {
    for (const [protocol, entries] of byProtocol) {
      const protocolsOf = getOrMake(byId, idOf(entries), () => new Map<string, string[]>());
      getOrMake(protocolsOf, address, () => []).push(protocol);
    }
  }
  return byId;
}

/**
 * Groups sites into servers. Sites with a common listen address belong to the same server; so do listen addresses with
 * the same sites.
 * @throws ServerError CONFIG_ADAPTER for an invalid address
 */
export function groupByListeners(sites: readonly ReadSite[], options: GlobalOptions): ServerSites[] {
  const byAddress = [...mapListeners(sites, options)].sort(([a], [b]) => compare(a, b));
  const byId = addressesById(byAddress);
  const groups: ServerSites[] = [];
  const taken = new Set<string>();
  for (const [address, byProtocol] of byAddress) {
    const protocols = [...byProtocol.keys()]
      .filter((protocol) => !taken.has(`${address} ${protocol}`))
      .sort();
    for (const protocol of protocols) {
      if (taken.has(`${address} ${protocol}`)) {
        // An empty server, as in Caddy, because it affects the names of later servers.
        groups.push({ listeners: [], sites: [] });
        continue;
      }
      const entries = byProtocol.get(protocol) ?? [];
      groups.push({
        listeners: listenersOn(byId.get(idOf(entries)) ?? new Map(), taken),
        sites: entries.map(({ served }) => served),
      });
    }
  }
  return groups;
}

/** Lists all listeners with these sites, and marks them as taken. */
function listenersOn(protocolsOf: ReadonlyMap<string, readonly string[]>, taken: Set<string>): Listener[] {
  return [...protocolsOf].map(([address, protocols]) => {
    for (const protocol of protocols) {
      taken.add(`${address} ${protocol}`);
    }
    const isDefault = protocols.every((protocol) => protocol === "");
    return { address, protocols: isDefault ? [] : protocols.toSorted() };
  });
}

// Finds sites in the routes of a server:
//
// | route | site |
// |---|---|
// | `terminal`, with matchers only for hosts and paths, and with one subroute | a site with these addresses |
// | any other route | all routes of the server are one site for any host |
//
// Error routes are split in the same way, and assigned to the sites by their addresses.

import { messageOf } from "server-core/errors";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "server-core/json/json-value";
import {
  formatNetworkAddress,
  isDescriptorNetwork,
  isUnixNetwork,
  parseNetworkAddress,
} from "../../addresses/network-address.ts";
import { inexpressible } from "../inexpressible.ts";
import { objectsOf, textsOf } from "../json-lists.ts";
import { given } from "../lines/line.ts";
import type { Members } from "../members.ts";
import type { UsualPorts } from "./addresses.ts";
import {
  hostsOfDraft,
  isForAnyHost,
  type Listening,
  noRoutes,
  type RouteListAt,
  type ServerDraft,
  type SiteDraft,
} from "./site-draft.ts";

/**
 * An address of `bind` and its port; the port is undefined for sockets. @throws Error for an address that no site can
 * have
 */
function readBind(listen: string): { readonly address: string; readonly port: number | undefined } {
  const parsed = parseNetworkAddress(listen);
  const { network, host, startPort, endPort } = parsed;
  if (isUnixNetwork(network) || isDescriptorNetwork(network)) {
    return { address: listen, port: undefined };
  }
  if (startPort !== endPort || formatNetworkAddress(parsed) !== listen) {
    throw new Error(startPort === endPort ? "a serverfile writes it otherwise" : "a site has one port");
  }
  const bare = host.includes(":") ? `[${host}]` : host;
  return { address: network === "tcp" ? bare : `${network}/${bare}`, port: startPort };
}

/** The listen addresses of a server. @throws ServerError CONFIG_INEXPRESSIBLE for different ports */
function readListening(members: Members): { listening: Listening; listen: string[] } {
  const listen = members.texts("listen") ?? [];
  const protocols = members.list("listen_protocols") ?? [];
  const ports = new Set<number>();
  const binds = listen.map((text, index) => {
    try {
      const { address, port } = readBind(text);
      if (port !== undefined) {
        ports.add(port);
      }
      return { address, protocols: textsOf(protocols[index]) };
    } catch (error) {
      throw inexpressible(`${members.pathOf("listen")}/${index}`, messageOf(error));
    }
  });
  const [port, more] = ports;
  if (more !== undefined) {
    throw inexpressible(members.pathOf("listen"), "all addresses of a server have the port of its sites");
  }
  return { listening: { binds, port: port ?? portOfLogs(members) }, listen };
}

/** The port of sites on sockets without a port, found in the logs, which name hosts together with an unusual port. */
function portOfLogs(members: Members): number | undefined {
  const skipped = textsOf(members.look("logs"), "skip_hosts");
  const [port] = skipped.flatMap((host) => /^[^:]+:(\d+)$/.exec(host)?.slice(1) ?? []);
  return port === undefined ? undefined : Number(port);
}

/** Hosts and paths in the matchers of a site's route; undefined for a route with other matchers. */
function addressesOf(match: JsonValue | undefined): SiteDraft["addresses"] | undefined {
  if (match === undefined) {
    return [{ host: "", path: "" }];
  }
  if (!isJsonArray(match)) {
    return undefined;
  }
  const addresses: { host: string; path: string }[] = [];
  for (const set of match) {
    if (!isJsonObject(set) || Object.keys(set).some((key) => key !== "host" && key !== "path")) {
      return undefined;
    }
    const hosts = textsOf(set.host);
    const [path = "", more] = textsOf(set.path);
    if (more !== undefined || (path !== "" && !path.startsWith("/"))) {
      return undefined;
    }
    addresses.push(...(hosts.length === 0 ? [""] : hosts).map((host) => ({ host, path })));
  }
  return addresses;
}

/** A route of a whole site. */
interface SiteRoute {
  readonly key: string;
  readonly addresses: SiteDraft["addresses"];
  readonly lists: readonly RouteListAt[];
}

/** Members that a site's route may have. */
const siteKeys = new Set(["match", "handle", "terminal"]);
/** Members that a site's subroute may have. */
const subrouteKeys = new Set(["handler", "routes"]);

const hasOtherKeys = (value: JsonObject, known: ReadonlySet<string>) =>
  Object.keys(value).some((key) => !known.has(key));

/** Reads a route as a complete site; undefined for a route that is no site. */
function siteRouteOf(value: JsonValue, path: string): SiteRoute | undefined {
  if (!isJsonObject(value) || value.terminal !== true || hasOtherKeys(value, siteKeys)) {
    return undefined;
  }
  const addresses = addressesOf(value.match);
  const handlers = objectsOf(value, "handle");
  const isWhole = value.handle === undefined || handlers.length === (value.handle as JsonValue[]).length;
  const areLists = handlers.every((each) => each.handler === "subroute" && !hasOtherKeys(each, subrouteKeys));
  if (addresses === undefined || !isWhole || !areLists) {
    return undefined;
  }
  const lists = handlers.map(({ routes }, index) => ({ routes, path: `${path}/handle/${index}/routes` }));
  return {
    key: JSON.stringify(addresses),
    addresses,
    lists: lists.length === 0 ? [{ routes: undefined, path }] : lists,
  };
}

/** Reads the routes of a server as sites; undefined when any route is no site. */
function siteRoutes({ routes, path }: RouteListAt): SiteRoute[] | undefined {
  const list = isJsonArray(routes) ? routes : [];
  const known = list.flatMap((each, index) => given(siteRouteOf(each, `${path}/${index}`)));
  return known.length === list.length && list.length > 0 ? known : undefined;
}

/** The sites of a server, in route order. */
function readSites(server: ServerDraft): SiteDraft[] {
  const { members } = server;
  const main = { routes: members.take("routes"), path: members.pathOf("routes") };
  const errorMembers = members.child("errors");
  const errors = { routes: errorMembers?.take("routes"), path: errorMembers?.pathOf("routes") ?? "" };
  const own = siteRoutes(main);
  const ofErrors = siteRoutes(errors);
  const anyHost = [{ host: "", path: "" }];
  if (own === undefined && (main.routes !== undefined || ofErrors === undefined)) {
    const [wrapped] = ofErrors ?? [];
    const list = wrapped?.key === JSON.stringify(anyHost) ? wrapped.lists[0] : undefined;
    return [{ server, addresses: anyHost, main, errors: list ?? errors }];
  }
  const left = [...(ofErrors ?? [])];
  const sites = (own ?? []).flatMap(({ key, addresses, lists }) => {
    const at = left.findIndex((each) => each.key === key);
    const [found] = at === -1 ? [] : left.splice(at, 1);
    return lists.map((list, index): SiteDraft => {
      return { server, addresses, main: list, errors: found?.lists[index] ?? noRoutes };
    });
  });
  for (const { addresses, lists } of left) {
    sites.push(...lists.map((list) => ({ server, addresses, main: noRoutes, errors: list })));
  }
  const [first, more] = sites;
  const isLone = ofErrors === undefined && isJsonArray(errors.routes) && more === undefined;
  return isLone && first !== undefined ? [{ ...first, errors }] : withRepetitions(sites);
}

/** The sites of a server; each address has the number of earlier equal addresses. */
function withRepetitions(sites: readonly SiteDraft[]): SiteDraft[] {
  const counts = new Map<string, number>();
  return sites.map((site) => {
    const repetitions = site.addresses.map(({ host, path }) => {
      const key = `${host} ${path}`;
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      return count;
    });
    return { ...site, repetitions };
  });
}

/**
 * The hosts on sockets without a port for which the text needs addresses with the HTTP port but without `http://`.
 * Automatic HTTPS includes these hosts, but they have no certificate. Such a host is also on the server with the HTTP
 * port; or it causes the policy for all connections, and no policy lists it.
 * @param sites sites of all servers
 * @param subjects names in the policies of the app `tls`
 */
function httpHostsOf(
  server: ServerDraft,
  sites: readonly SiteDraft[],
  subjects: readonly string[],
  ports: UsualPorts,
): readonly string[] {
  if (server.listening.port !== undefined) {
    return [];
  }
  const own = sites.filter((site) => site.server === server);
  const hosts = own.flatMap(hostsOfDraft).filter((host) => !server.plainHosts.has(host));
  const ofHttpPort = sites.filter((site) => site.server.listening.port === ports.http);
  const elsewhere = new Set(ofHttpPort.flatMap(hostsOfDraft));
  const shared = hosts.filter((host) => elsewhere.has(host));
  // A single connection policy, for all connections and without settings.
  const isBare = JSON.stringify(server.members.look("tls_connection_policies")) === "[{}]";
  if (shared.length > 0 || !isBare || own.some(isForAnyHost)) {
    return shared;
  }
  const without = hosts.filter((host) => !subjects.includes(host));
  return without.length < hosts.length ? without : hosts.slice(0, 1);
}

/**
 * Reads every server and its sites. Servers without listeners, routes and error routes are left out, because they exist
 * without any text.
 */
export function readServers(
  config: Members,
  ports: UsualPorts,
): { servers: readonly ServerDraft[]; sites: readonly SiteDraft[] } {
  const all = config.child("apps")?.child("http")?.child("servers");
  // Sorted by number: `srv10` comes after `srv2`.
  const names = (all?.keys ?? []).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const servers = names.flatMap((name): ServerDraft[] => {
    const members = all?.child(name);
    if (members === undefined || !["listen", "routes", "errors"].some((key) => members.has(key))) {
      return [];
    }
    const plainHosts = new Set(textsOf(members.look("automatic_https"), "skip"));
    const hasPolicies = objectsOf(members.look("tls_connection_policies")).length > 0;
    return [{ name, members, ...readListening(members), plainHosts, hasPolicies, httpHosts: new Set() }];
  });
  const sites = servers.flatMap(readSites);
  const policies = objectsOf(config.objectAt("apps", "tls", "automation"), "policies");
  const subjects = policies.flatMap((policy) => textsOf(policy, "subjects"));
  for (const server of servers) {
    for (const host of httpHostsOf(server, sites, subjects, ports)) {
      server.httpHosts.add(host);
    }
  }
  return { servers, sites };
}

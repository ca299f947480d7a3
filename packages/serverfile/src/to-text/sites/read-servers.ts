// Finds sites in the routes of a server:
//
// | route | site |
// |---|---|
// | `terminal`, matches hosts and paths only, one subroute | a site with these addresses |
// | any other one | all routes of the server are one site for any host |
//
// Error routes are divided in the same way, and joined to the sites by their addresses.

import { messageOf } from "server-core/errors";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "server-core/json/json-value";
import {
  formatNetworkAddress,
  isDescriptorNetwork,
  isUnixNetwork,
  parseNetworkAddress,
} from "../../addresses/network-address.ts";
import { inexpressible } from "../inexpressible.ts";
import { textsOf } from "../json-lists.ts";
import type { Members } from "../members.ts";
import type { UsualPorts } from "./addresses.ts";
import { httpHostsOf } from "./http-hosts.ts";
import type { Listening, ServerDraft, SiteDraft } from "./site-draft.ts";

/** Where a server listens. @throws ServerError CONFIG_INEXPRESSIBLE for addresses that differ in their ports */
function readListening(members: Members): { listening: Listening; listen: string[] } {
  const listen = members.texts("listen") ?? [];
  const protocols = members.list("listen_protocols");
  const ports = new Set<number>();
  const binds = listen.map((address, index) => {
    const path = `${members.pathOf("listen")}/${index}`;
    const own = protocols?.[index] ?? null;
    const list = isJsonArray(own) ? own.map(String) : [];
    try {
      const parsed = parseNetworkAddress(address);
      const { network, host, startPort, endPort } = parsed;
      if (isUnixNetwork(network) || isDescriptorNetwork(network)) {
        return { address, protocols: list };
      }
      if (startPort !== endPort) {
        throw new Error("a site has one port");
      }
      ports.add(startPort);
      const isUsual = network === "tcp";
      const bare = host.includes(":") ? `[${host}]` : host;
      if (formatNetworkAddress(parsed) !== address) {
        throw new Error("a serverfile writes it otherwise");
      }
      return { address: isUsual ? bare : `${network}/${bare}`, protocols: list };
    } catch (error) {
      throw inexpressible(path, messageOf(error));
    }
  });
  const [port, more] = ports;
  if (more !== undefined) {
    throw inexpressible(members.pathOf("listen"), "all addresses of a server have the port of its sites");
  }
  return { listening: { binds, port: port ?? portOfLogs(members) }, listen };
}

/** The port of sites on sockets without any: logs name hosts with a port that is not usual. */
function portOfLogs(members: Members): number | undefined {
  const logs = members.look("logs");
  const { skip_hosts: skipped } = isJsonObject(logs) ? logs : {};
  const ports = textsOf(skipped).flatMap((host) => /^[^:]+:(\d+)$/.exec(host)?.slice(1) ?? []);
  return ports[0] === undefined ? undefined : Number(ports[0]);
}

/** Hosts and paths of the matchers of a site's route; undefined when they are others. */
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
  readonly lists: readonly { readonly routes: JsonValue | undefined; readonly path: string }[];
}

/** Reads a route as a whole site; undefined for any other route. */
function siteRouteOf(value: JsonValue, path: string): SiteRoute | undefined {
  if (!isJsonObject(value) || value.terminal !== true || value.group !== undefined) {
    return undefined;
  }
  const addresses = addressesOf(value.match);
  const handlers = value.handle === undefined ? [] : value.handle;
  if (
    addresses === undefined ||
    !isJsonArray(handlers) ||
    Object.keys(value).some((key) => !siteKeys.has(key))
  ) {
    return undefined;
  }
  const lists = handlers.map((handler, index) =>
    isJsonObject(handler) &&
    handler.handler === "subroute" &&
    Object.keys(handler).every((key) => subrouteKeys.has(key))
      ? { routes: handler.routes, path: `${path}/handle/${index}/routes` }
      : undefined,
  );
  const known = lists.filter((each) => each !== undefined);
  return known.length < lists.length
    ? undefined
    : {
        key: JSON.stringify(addresses),
        addresses,
        lists: known.length === 0 ? [{ routes: undefined, path }] : known,
      };
}

/** Members that a site's route may have. */
const siteKeys = new Set(["match", "handle", "terminal"]);
/** Members that a site's subroute may have. */
const subrouteKeys = new Set(["handler", "routes"]);

/** Reads the routes of a server as sites; undefined when a route is not a site. */
function siteRoutes(value: JsonValue | undefined, path: string): SiteRoute[] | undefined {
  if (!isJsonArray(value) || value.length === 0) {
    return undefined;
  }
  const routes = value.map((each, index) => siteRouteOf(each, `${path}/${index}`));
  const known = routes.filter((each) => each !== undefined);
  return known.length === routes.length ? known : undefined;
}

/** The sites of a server, in route order. */
function readSites(server: ServerDraft): SiteDraft[] {
  const { members } = server;
  const routes = members.take("routes");
  const path = members.pathOf("routes");
  const errors = members.child("errors");
  const errorRoutes = errors?.take("routes");
  const errorsPath = errors?.pathOf("routes") ?? "";
  const own = siteRoutes(routes, path);
  const ofErrors = siteRoutes(errorRoutes, errorsPath);
  const anyHost = [{ host: "", path: "" }];
  if (own === undefined && (routes !== undefined || ofErrors === undefined)) {
    const [wrapped] = ofErrors ?? [];
    const list = wrapped?.key === JSON.stringify(anyHost) ? wrapped.lists[0] : undefined;
    return [
      {
        server,
        addresses: anyHost,
        routes,
        routesPath: path,
        errors: list === undefined ? errorRoutes : list.routes,
        errorsPath: list?.path ?? errorsPath,
      },
    ];
  }
  const left = [...(ofErrors ?? [])];
  const sites: SiteDraft[] = [];
  for (const { key, addresses, lists } of own ?? []) {
    const at = left.findIndex((each) => each.key === key);
    const [found] = at === -1 ? [] : left.splice(at, 1);
    lists.forEach((list, index) => {
      const { routes: own, path: ownPath } = found?.lists[index] ?? {
        routes: undefined,
        path: errorsPath,
      };
      const site = { server, addresses, routes: list.routes, routesPath: list.path };
      sites.push({ ...site, errors: own, errorsPath: ownPath });
    });
  }
  for (const { addresses, lists } of left) {
    for (const list of lists) {
      const site = { server, addresses, routes: undefined, routesPath: path };
      sites.push({ ...site, errors: list.routes, errorsPath: list.path });
    }
  }
  const isLone = ofErrors === undefined && isJsonArray(errorRoutes);
  const [first] = sites;
  return isLone && first !== undefined && sites.length === 1
    ? [{ ...first, errors: errorRoutes, errorsPath }]
    : withRepetitions(sites);
}

/** The sites of a server, with the number of earlier sites that have each address. */
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

/** Every server with its sites. Servers without anything are left out: they come by themselves. */
export function readServers(servers: Members | undefined): { servers: ServerDraft[]; sites: SiteDraft[] } {
  const drafts: ServerDraft[] = [];
  const sites: SiteDraft[] = [];
  for (const name of numericOrder(servers?.keys ?? [])) {
    const members = servers?.child(name);
    if (members === undefined || !["listen", "routes", "errors"].some((key) => members.has(key))) {
      continue;
    }
    const { listening, listen } = readListening(members);
    const automatic = members.look("automatic_https");
    const policies = members.look("tls_connection_policies");
    const server: ServerDraft = {
      name,
      members,
      listening,
      listen,
      plainHosts: new Set(isJsonObject(automatic) ? textsOf(automatic.skip) : []),
      hasPolicies: isJsonArray(policies) && policies.length > 0,
    };
    drafts.push(server);
    sites.push(...readSites(server));
  }
  return { servers: drafts, sites };
}

/** The same, with what certificates tell of hosts on sockets. @param tls the app */
export function readServersWith(
  tls: JsonObject,
  given: Members | undefined,
  ports: UsualPorts,
): { servers: ServerDraft[]; sites: SiteDraft[] } {
  const { servers, sites } = readServers(given);
  const known = new Map(
    servers.map((server) => [server, { ...server, httpHosts: httpHostsOf(server, sites, tls, ports) }]),
  );
  const draftOf = (server: ServerDraft) => known.get(server) ?? server;
  return {
    servers: servers.map(draftOf),
    sites: sites.map((site) => ({ ...site, server: draftOf(site.server) })),
  };
}

/** `srv10` after `srv2`. */
function numericOrder(names: readonly string[]): string[] {
  return [...names].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

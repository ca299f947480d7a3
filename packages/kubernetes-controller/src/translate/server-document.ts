// Sites as servers of the document. Names of everything that this controller writes begin with `kubernetes`, so that
// what others configured stays.

import { respond } from "./backends.ts";
import { hostMatcher, quoted } from "./matchers.ts";
import {
  compareHosts,
  compareRanks,
  type SiteCertificates,
  type SiteListener,
  type SiteRoute,
  type Sites,
} from "./site-listener.ts";
import type { Json } from "./snapshot.ts";

/** First word of names of servers, and of tags of certificates. */
export const ownPrefix = "kubernetes";

/** The part of a document that this controller owns. */
export interface OwnPart {
  readonly servers: Readonly<Record<string, Json>>;
  readonly certificates: readonly Json[];
  /** Hosts whose certificates the server gets by itself. */
  readonly automated: readonly string[];
}

/** The most specific host first; inside of a host, by rank. */
function compareRoutes(a: SiteRoute, b: SiteRoute): number {
  return compareHosts(a.host, b.host) || compareRanks(a.rank, b.rank);
}

/** Routes of the document for one host; "" is every host. */
interface HostGroup {
  readonly host: string;
  readonly routes: readonly Json[];
}

function innerRoutes(routes: readonly SiteRoute[]): Json[] {
  return [...routes].sort(compareRoutes).map(({ match, handle }) => ({
    ...(Object.keys(match).length === 0 ? {} : { match: [match] }),
    handle,
    terminal: true,
  }));
}

/** Routes of one host stand together, so that a request is compared with each host once. */
function hostGroups(routes: readonly SiteRoute[]): HostGroup[] {
  const groups = Map.groupBy(
    [...routes].sort(compareRoutes),
    ({ host, isOneLabel }) => `${isOneLabel} ${host}`,
  );
  return [...groups.values()].map((group) => {
    const { host = "", isOneLabel = true } = group[0] ?? {};
    const inner = innerRoutes(group);
    const match = [hostMatcher(host, isOneLabel)];
    const routes = host === "" ? inner : [{ match, handle: [{ handler: "subroute", routes: inner }] }];
    return { host, routes };
  });
}

const notFound: Json = { handle: [respond(404)], terminal: true };

/** Requests for the host of such listeners never reach the routes of other listeners. */
function isolatedGroup(host: string, listeners: readonly SiteListener[]): HostGroup {
  const inner = hostGroups(listeners.flatMap(({ routes }) => routes)).flatMap(({ routes }) => routes);
  const match = [hostMatcher(host, false)];
  const handle = [{ handler: "subroute", routes: [...inner, notFound] }];
  return { host, routes: [{ match, handle, terminal: true }] };
}

/** The most specific name of a policy for handshakes; "" for every name. */
function policyNames({ names }: SiteCertificates): string {
  return [...names].sort(compareHosts)[0] ?? "";
}

function sniMatcher({ names, isOneLabel }: SiteCertificates): Json {
  if (names.length === 0) {
    return {};
  }
  const isWide = !isOneLabel && names.some((name) => name.startsWith("*"));
  const pattern = (name: string) => (name.startsWith("*") ? `.+${quoted(name.slice(1))}` : quoted(name));
  return {
    match: isWide ? { sni_regexp: { pattern: `^(?:${names.map(pattern).join("|")})$` } } : { sni: names },
  };
}

/** One policy for each name, so that a precise name of one listener comes before a wildcard of another one. */
function tlsPolicies(listeners: readonly SiteListener[]): Json[] {
  const wanted = listeners.flatMap(({ certificates }) =>
    certificates.flatMap((one) =>
      one.names.length === 0 ? [one] : one.names.map((name) => ({ ...one, names: [name] })),
    ),
  );
  const merged = Map.groupBy(wanted, (one) => `${one.isOneLabel} ${policyNames(one)} ${one.tags.length > 0}`);
  const policies = [...merged.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined
      ? []
      : [{ ...first, tags: [...new Set(group.flatMap(({ tags }) => tags))].sort() }];
  });
  policies.sort((a, b) => compareHosts(policyNames(a), policyNames(b)) || b.tags.length - a.tags.length);
  return policies.map((one) => ({
    ...sniMatcher(one),
    ...(one.tags.length === 0 ? {} : { certificate_selection: { any_tag: one.tags } }),
  }));
}

/** Routes of the app layer4 for TLS that passes through. */
function rawRoutes(listeners: readonly SiteListener[]): Json[] {
  const routes = listeners.flatMap((listener) => listener.routes).sort(compareRoutes);
  return routes.map(({ host, isOneLabel, handle }) => {
    const tls = sniMatcher({ names: host === "" ? [] : [host], tags: [], isOneLabel }).match ?? {};
    return { match: [{ tls }], handle };
  });
}

/** Wrappers of a port on which some TLS passes through. They come before the server's own TLS. */
function wrappersFor(raw: readonly SiteListener[], isTls: boolean): Json[] {
  if (raw.length === 0) {
    return [];
  }
  // Without HTTPS listeners, no connection may continue to HTTP.
  const rest = isTls ? [] : [{ handle: [{ handler: "close" }] }];
  return [
    { wrapper: "layer4", routes: [...rawRoutes(raw), ...rest] },
    ...(isTls ? [{ wrapper: "tls" }] : []),
  ];
}

function serverOf(all: readonly SiteListener[]): Json {
  const { address = "", port = 0 } = all[0] ?? {};
  const listeners = all.filter(({ protocol }) => protocol !== "TLS");
  const isTls = listeners.some(({ protocol }) => protocol === "HTTPS");
  const isAlone = ({ isIsolated, host }: SiteListener) => isIsolated && host !== "";
  const alone = Map.groupBy(listeners.filter(isAlone), ({ host }) => host);
  const shared = listeners.filter((listener) => !isAlone(listener)).flatMap(({ routes }) => routes);
  const groups = [...[...alone].map(([host, some]) => isolatedGroup(host, some)), ...hostGroups(shared)].sort(
    (a, b) => compareHosts(a.host, b.host),
  );
  const wrappers = wrappersFor(
    all.filter(({ protocol }) => protocol === "TLS"),
    isTls,
  );
  return {
    listen: [`${address.includes(":") ? `[${address}]` : address}:${port}`],
    ...(wrappers.length === 0 ? {} : { listener_wrappers: wrappers }),
    protocols: isTls ? ["h1", "h2"] : ["h1", "h2", "h2c"],
    automatic_https: { disable: true },
    ...(isTls ? { tls_connection_policies: tlsPolicies(listeners) } : {}),
    routes: [...groups.flatMap(({ routes }) => routes), notFound],
  };
}

/** Returns the part of the document that serves a cluster's sites. */
export function ownPartOf(sites: Sites): OwnPart {
  const groups = Map.groupBy(sites.listeners, ({ address, port }) => {
    const at = address === "" ? "" : `_${address.replace(/[^0-9a-z]/gi, "-")}`;
    return `${ownPrefix}${at}_${port}`;
  });
  const servers = [...groups].map(([name, listeners]) => [name, serverOf(listeners)] as const);
  const automated = sites.listeners
    .flatMap(({ certificates }) => certificates)
    .filter(({ tags }) => tags.length === 0)
    .flatMap(({ names }) => names);
  return {
    servers: Object.fromEntries(servers.sort(([a], [b]) => (a < b ? -1 : 1))),
    certificates: [...sites.certificates]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([tag, loaded]) => ({ ...loaded, tags: [tag] })),
    automated: [...new Set(automated)].sort(),
  };
}

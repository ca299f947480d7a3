import { qualifiesForCertificate } from "certificates/tls/subject-names";
import {
  formatListenAddress,
  type ListenAddress,
  parseListenAddress,
} from "server-core/listen/listen-address";
import { replaceKnown, replaceStrictly } from "server-core/placeholders/machine-placeholders";
import type { HttpAppConfig, HttpServerConfig } from "./http-config.ts";
import { addedRoute, type RouteConfig } from "./route-config.ts";

/** Default port of redirects and HTTP challenges; the app `http` may set another port. */
export const defaultHttpPort = 80;
/** Default port of sites whose address has no port; the app `http` may set another port. */
export const defaultHttpsPort = 443;

/** Name of the server that only redirects. Source: Caddy */
const redirectServer = "remaining_auto_https_redirects";

/** An address on which a server listens. */
export interface PlannedAddress {
  readonly address: ListenAddress;
  /** True when connections use TLS. */
  readonly secure: boolean;
}

/** A server, with the additions of automatic HTTPS. */
export interface PlannedServer {
  /** Name of the server in the config, or of the server made for redirects. */
  readonly name: string;
  /** The server's config as written; the server made for redirects has only addresses and access logs. */
  readonly config: HttpServerConfig;
  readonly addresses: readonly PlannedAddress[];
  /** Redirect routes, which follow the last route of the config that names hosts. */
  readonly redirects: readonly RouteConfig[];
  /**
   * The last route of a server with redirects. It redirects plain requests for any other host, because names with
   * on-demand certificates are in no route.
   */
  readonly catchAll: RouteConfig | undefined;
  /** Names whose certificates are managed. */
  readonly names: readonly string[];
}

/** Facts about a server during planning. */
interface Draft {
  readonly name: string;
  readonly config: HttpServerConfig;
  readonly addresses: readonly ListenAddress[];
  /** True when the server uses TLS, except on the port of plain HTTP. */
  tls: boolean;
  /** Routes from HTTP to HTTPS for named hosts. */
  redirects: RouteConfig[];
  /** Route that redirects all other hosts; the last route, because it matches every request. */
  catchAll: RouteConfig | undefined;
  /** Host names of the server's routes that need certificates. */
  names: string[];
}

/** Hosts of the top-level routes. */
function hostsOf(config: HttpServerConfig): string[] {
  const hosts = new Set<string>();
  for (const route of config.routes ?? []) {
    for (const { host } of route.match ?? []) {
      for (const name of Array.isArray(host) ? host : []) {
        hosts.add(replaceKnown(String(name), { mayBeEmpty: false }).toLowerCase());
      }
    }
  }
  return [...hosts];
}

function portOf(address: ListenAddress): number {
  return address.network === "tcp" ? address.port : 0;
}

/** A redirect to HTTPS for some hosts, or for all. */
function redirectRoute(hosts: readonly string[], port: number, usualPorts: ReadonlySet<number>): RouteConfig {
  const authority = usualPorts.has(port) ? "{http.request.host}" : `{http.request.host}:${port}`;
  return addedRoute({
    match: [{ protocol: "http", ...(hosts.length > 0 ? { host: [...hosts] } : {}) }],
    handle: [
      {
        handler: "static_response",
        status_code: 308,
        headers: { Location: [`https://${authority}{http.request.uri}`] },
        close: true,
      },
    ],
  });
}

/**
 * Decides which servers use TLS, for which names certificates are managed, and where plain HTTP is redirected.
 *
 * A server uses TLS when it has host names in its routes, only listeners on the HTTPS port, or connection policies. Its
 * listeners on the HTTP port still use plain HTTP. A server on port 0, whose number is unknown in advance, uses plain
 * HTTP unless it has connection policies. All other rules are the rules of Caddy 2.11.
 */
export function planAutomaticHttps(app: HttpAppConfig): PlannedServer[] {
  const httpPort = app.http_port ?? defaultHttpPort;
  const httpsPort = app.https_port ?? defaultHttpsPort;
  const ports = { httpPort, httpsPort };
  const usualPorts = new Set([httpPort, httpsPort, defaultHttpPort, defaultHttpsPort]);
  const redirects = new Map<string, RouteConfig[]>();
  const catchAll = redirectRoute([], httpsPort, usualPorts);
  /** The access logs of the redirects come from the last server that has access logs. */
  let logs: HttpServerConfig["logs"];
  const drafts: Draft[] = [];
  for (const [name, config] of Object.entries(app.servers ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { draft, redirected } = draftServer(name, config, ports);
    drafts.push(draft);
    if (!draft.tls || redirected === undefined) {
      continue;
    }
    logs = config.logs ?? logs;
    for (const address of redirected.addresses) {
      const from = formatListenAddress({ ...address, port: httpPort });
      const routes = redirects.get(from) ?? [];
      redirects.set(from, [...routes, redirectRoute(redirected.hosts, address.port, usualPorts)]);
    }
  }
  const remaining = placeRedirects(drafts, redirects, catchAll);
  if (remaining.listen.length > 0) {
    const addresses = remaining.listen.flatMap((text) => parseListenAddress(text));
    drafts.push({
      name: redirectServer,
      config: { listen: remaining.listen, ...(logs === undefined ? {} : { logs }) },
      addresses,
      tls: false,
      redirects: remaining.routes,
      catchAll,
      names: [],
    });
  }
  return drafts.map((draft) => ({
    name: draft.name,
    config: draft.config,
    addresses: draft.addresses.map((address) => ({
      address,
      secure: draft.tls && (address.network !== "tcp" || address.port !== httpPort),
    })),
    redirects: specificFirst(draft.redirects),
    catchAll: draft.catchAll,
    names: draft.names,
  }));
}

/** Hosts and HTTPS addresses of a server, to which plain HTTP requests are redirected. */
interface Redirected {
  readonly hosts: readonly string[];
  readonly addresses: readonly Extract<ListenAddress, { readonly network: "tcp" }>[];
}

/**
 * Decides whether a server uses TLS, and for which names. @returns `redirected` undefined: no redirects lead to it
 */
function draftServer(
  name: string,
  config: HttpServerConfig,
  { httpPort, httpsPort }: { readonly httpPort: number; readonly httpsPort: number },
): { readonly draft: Draft; readonly redirected: Redirected | undefined } {
  const addresses = (config.listen ?? []).flatMap((text) => parseListenAddress(replaceStrictly(text)));
  const auto = config.automatic_https;
  const draft: Draft = { name, config, addresses, tls: false, redirects: [], catchAll: undefined, names: [] };
  const without = { draft, redirected: undefined };
  draft.tls = (config.tls_connection_policies ?? []).length > 0;
  const elsewhere = addresses.filter((address) => ![httpPort, 0].includes(portOf(address)));
  if (auto?.disable === true || (elsewhere.length === 0 && !draft.tls) || addresses.length === 0) {
    return without;
  }
  const hosts = hostsOf(config).filter((host) => !(auto?.skip ?? []).includes(host));
  draft.tls ||= elsewhere.length > 0 && addresses.every((address) => portOf(address) === httpsPort);
  if (hosts.length === 0 && !draft.tls) {
    return without;
  }
  draft.tls ||= config.tls_connection_policies == null;
  if (!draft.tls) {
    return without;
  }
  if (auto?.disable_certificates !== true) {
    const skipped = auto?.skip_certificates ?? [];
    draft.names = hosts.filter((host) => qualifiesForCertificate(host) && !skipped.includes(host));
  }
  const redirects = auto?.disable_redirects === true ? [] : elsewhere;
  return { draft, redirected: { hosts, addresses: redirects.filter((each) => each.network === "tcp") } };
}

/** Adds each redirect to the server that listens on its address. @returns redirects for which no server listens */
function placeRedirects(
  drafts: readonly Draft[],
  redirects: ReadonlyMap<string, RouteConfig[]>,
  catchAll: RouteConfig,
): { readonly listen: string[]; readonly routes: RouteConfig[] } {
  const remaining: { listen: string[]; routes: RouteConfig[] } = { listen: [], routes: [] };
  for (const [from, routes] of redirects) {
    const plain = drafts.find(({ addresses }) => addresses.some((each) => covers(each, from)));
    if (plain === undefined) {
      remaining.listen.push(from);
      remaining.routes = remaining.routes.concat(routes);
    } else {
      // A site for all hosts has no name for a certificate, so it answers plain requests itself instead of redirecting
      // them.
      if (drafts.some(({ names }) => names.length > 0)) {
        plain.redirects.push(...routes);
      }
      plain.catchAll = catchAll;
    }
  }
  return remaining;
}

/**
 * True when an address receives the connections of the other address: both are equal, or `address` has the same port
 * without a host.
 */
function covers(address: ListenAddress, text: string): boolean {
  if (formatListenAddress(address) === text) {
    return true;
  }
  return address.network === "tcp" && address.host === "" && text.endsWith(`:${address.port}`);
}

/** Sorts redirects: redirects for single hosts precede the redirect for all hosts. */
function specificFirst(routes: readonly RouteConfig[]): RouteConfig[] {
  const isSpecific = (route: RouteConfig) => route.match?.[0]?.host !== undefined;
  return [...routes.filter(isSpecific), ...routes.filter((route) => !isSpecific(route))];
}

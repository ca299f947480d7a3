import type { JsonValue } from "server-core/json/json-value";
import type { Members } from "../members.ts";

/** The listen addresses of a server: the addresses in `bind`, and their common port. */
export interface Listening {
  /** Addresses without a port ("" for any address), with their protocols; without protocols, the default applies. */
  readonly binds: readonly { readonly address: string; readonly protocols: readonly string[] }[];
  /** Common port; undefined when no address has a port. */
  readonly port: number | undefined;
}

/** A server of the config while it is written. */
export interface ServerDraft {
  /** Key of the server in `apps.http.servers`. */
  readonly name: string;
  /** The JSON of the server. Writers take members; members that are never taken have no text form. */
  readonly members: Members;
  readonly listening: Listening;
  /** Listen addresses as in the JSON, including ports. */
  readonly listen: readonly string[];
  /** Hosts served without TLS. */
  readonly plainHosts: ReadonlySet<string>;
  /** True when the server has `tls_connection_policies`, which means TLS. */
  readonly hasPolicies: boolean;
  /** Hosts that are written with the HTTP port, although their server does not listen on it. */
  readonly httpHosts: Set<string>;
}

/** A list of routes, with its JSON path for refusals. */
export interface RouteListAt {
  /** Undefined when the config has no list. */
  readonly routes: JsonValue | undefined;
  readonly path: string;
}

/** Stands for a missing list of routes. */
export const noRoutes: RouteListAt = { routes: undefined, path: "" };

/** A site of one server, made from its route in the config. */
export interface SiteDraft {
  readonly server: ServerDraft;
  /** Hosts, each with its path or "". The host "" means any host. */
  readonly addresses: readonly { readonly host: string; readonly path: string }[];
  /** Routes inside the site, without the route that matches its host. */
  readonly main: RouteListAt;
  /** Error routes of the site alone. */
  readonly errors: RouteListAt;
  /** For each address, the number of equal addresses before it on the same server. Absent: all numbers are 0. */
  readonly repetitions?: readonly number[];
}

/** Sites of several servers that are one site in the text. */
export type SiteGroup = readonly [SiteDraft, ...SiteDraft[]];

/**
 * True when automatic certificates are disabled on a server. In this case, the config lists no names for certificates.
 */
export function hasNoCertificates({ members }: ServerDraft): boolean {
  const { disable, disable_certificates } = members.objectAt("automatic_https");
  return disable === true || disable_certificates === true;
}

/** True for a unix socket or a file descriptor, which has no port. */
export function isSocket({ address }: Listening["binds"][number]): boolean {
  return /^(unix|fd)/.test(address);
}

/** The distinct hosts of a site; empty for any host. */
export function hostsOfDraft({ addresses }: SiteDraft): string[] {
  return [...new Set(addresses.map(({ host }) => host))].filter((host) => host !== "");
}

/** True when an address of the site has no host. */
export function isForAnyHost({ addresses }: SiteDraft): boolean {
  return addresses.some(({ host }) => host === "");
}

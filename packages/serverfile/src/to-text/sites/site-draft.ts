import type { JsonValue } from "server-core/json/json-value";
import type { Members } from "../members.ts";

/** The listen addresses of a server: hosts and networks of `bind`, and the common port. */
export interface Listening {
  /** Addresses without a port ("" for any) with their protocols; no protocols means the default. */
  readonly binds: readonly { readonly address: string; readonly protocols: readonly string[] }[];
  /** Common port; undefined when no address has a port. */
  readonly port: number | undefined;
}

/** A server of the config while it is written. */
export interface ServerDraft {
  /** Key of the server in `apps.http.servers`. */
  readonly name: string;
  /** The JSON of the site. Writers take members; members left at the end have no text. */
  readonly members: Members;
  readonly listening: Listening;
  /** Listen addresses as in the JSON, including ports. */
  readonly listen: readonly string[];
  /** Hosts served without TLS. */
  readonly plainHosts: ReadonlySet<string>;
  /** True when the server has `tls_connection_policies`, which means TLS. */
  readonly hasPolicies: boolean;
  /** Hosts that are written with the HTTP port though the server has none. */
  readonly httpHosts?: ReadonlySet<string>;
}

/** A list of routes, with its JSON path for refusals. */
export interface RouteListAt {
  /** undefined where the config has no list. */
  readonly routes: JsonValue | undefined;
  readonly path: string;
}

/** The list of routes that no config has. */
export const noRoutes: RouteListAt = { routes: undefined, path: "" };

/** A site of one server, as its route in the config tells. */
export interface SiteDraft {
  readonly server: ServerDraft;
  /** Hosts, each with a path or "". Empty means any host. */
  readonly addresses: readonly { readonly host: string; readonly path: string }[];
  /** Routes of the site alone, without the one that matches its host. */
  readonly main: RouteListAt;
  /** Error routes of the site alone. */
  readonly errors: RouteListAt;
  /** For each address how many before it on the server are the same. None is 0. */
  readonly repetitions?: readonly number[];
}

/** True when automatic certificates are disabled on a server. Then the config lists no names for certificates. */
export function hasNoCertificates({ members }: ServerDraft): boolean {
  const { disable, disable_certificates } = members.objectAt("automatic_https");
  return disable === true || disable_certificates === true;
}

/** The distinct hosts of a site; empty for any host. */
export function hostsOfDraft({ addresses }: SiteDraft): string[] {
  return [...new Set(addresses.map(({ host }) => host))].filter((host) => host !== "");
}

/** True for a site without hosts in its addresses. */
export function isForAnyHost({ addresses }: SiteDraft): boolean {
  return addresses.some(({ host }) => host === "");
}

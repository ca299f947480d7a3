import type { Json } from "./snapshot.ts";

/**
 * Order of routes that match the same request. The order is that of the Gateway API: host, path, method,
 * headers, query parameters, age, name, place.
 */
export interface RouteRank {
  readonly pathKind: "exact" | "regexp" | "prefix";
  readonly pathLength: number;
  readonly hasMethod: boolean;
  readonly headers: number;
  readonly queryParams: number;
  /** Time of creation as the API server writes it; "" counts as the newest. */
  readonly created: string;
  /** `namespace/name` of the route or Ingress. */
  readonly name: string;
  readonly place: number;
}

/** One match of one rule for one host. */
export interface SiteRoute {
  /** Id of the object that asks for this route. */
  readonly source: string;
  /** Lower case; `*.` at the start stands for labels; "" is every host. */
  readonly host: string;
  /** True: `*.` stands for exactly one label, as Ingress has it. False: for one or more, as the Gateway API has it. */
  readonly isOneLabel: boolean;
  readonly rank: RouteRank;
  /** Matchers of the server, without the host; empty matches everything. For TLS that passes through it is empty. */
  readonly match: Json;
  /** Handlers of HTTP; of raw connections for TLS that passes through. */
  readonly handle: readonly Json[];
}

/** How a handshake finds its certificate. */
export interface SiteCertificates {
  /** Server names; a wildcard may stand for several labels; empty: every name that no other policy has. */
  readonly names: readonly string[];
  /** Tags of loaded certificates; empty: certificates that the server gets by itself. */
  readonly tags: readonly string[];
  /** As for `SiteRoute`. */
  readonly isOneLabel: boolean;
}

/** A place where requests arrive, with all routes that were attached to it. */
export interface SiteListener {
  /** Address to listen on; "" is every address. */
  readonly address: string;
  readonly port: number;
  readonly protocol: "HTTP" | "HTTPS" | "TLS";
  /** Host that this listener is for; "" for every host. */
  readonly host: string;
  /** True: requests for `host` that no route of this listener matches get 404, and never the routes of another one. */
  readonly isIsolated: boolean;
  readonly certificates: readonly SiteCertificates[];
  readonly routes: readonly SiteRoute[];
}

/** A certificate with its key, in PEM. */
export interface LoadedCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Everything that a cluster asks of a server. */
export interface Sites {
  readonly listeners: readonly SiteListener[];
  /** Certificates by tag. */
  readonly certificates: ReadonlyMap<string, LoadedCertificate>;
}

const pathKinds = ["prefix", "regexp", "exact"];

/** Precise hosts first, then wildcards by length, then every host. */
export function compareHosts(a: string, b: string): number {
  const kind = (host: string) => (host === "" ? 0 : host.startsWith("*") ? 1 : 2);
  return kind(b) - kind(a) || b.length - a.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** Negative when `a` comes first. */
export function compareRanks(a: RouteRank, b: RouteRank): number {
  return (
    pathKinds.indexOf(b.pathKind) - pathKinds.indexOf(a.pathKind) ||
    b.pathLength - a.pathLength ||
    Number(b.hasMethod) - Number(a.hasMethod) ||
    b.headers - a.headers ||
    b.queryParams - a.queryParams ||
    compareTexts(a.created || "~", b.created || "~") ||
    compareTexts(a.name, b.name) ||
    a.place - b.place
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

import type { JsonValue } from "server-core/json/json-value";
import type { Members } from "../members.ts";

/** Where a server listens: the hosts and networks of `bind`, and the one port of its sites. */
export interface Listening {
  /** Addresses without a port, "" for any; the protocols of each, none for the usual ones. */
  readonly binds: readonly { readonly address: string; readonly protocols: readonly string[] }[];
  /** undefined when no address has one. */
  readonly port: number | undefined;
}

/** A server of the config while it is written. */
export interface ServerDraft {
  readonly name: string;
  readonly members: Members;
  readonly listening: Listening;
  readonly listen: readonly string[];
  /** Hosts that are served without TLS. */
  readonly plainHosts: ReadonlySet<string>;
  readonly hasPolicies: boolean;
  /** Hosts that are written with the HTTP port where the server has none. */
  readonly httpHosts?: ReadonlySet<string>;
}

/** A site of one server, as its route in the config tells. */
export interface SiteDraft {
  readonly server: ServerDraft;
  /** Hosts, each with a path or "". None is any host. */
  readonly addresses: readonly { readonly host: string; readonly path: string }[];
  readonly routes: JsonValue | undefined;
  readonly routesPath: string;
  readonly errors: JsonValue | undefined;
  readonly errorsPath: string;
  /** For each address how many before it on the server are the same. None is 0. */
  readonly repetitions?: readonly number[];
}

/** The hosts of a site, each once; none when it is for any. */
export function hostsOfDraft({ addresses }: SiteDraft): string[] {
  return [...new Set(addresses.map(({ host }) => host))].filter((host) => host !== "");
}

/** Whether hosts are not told apart. */
export function isForAnyHost({ addresses }: SiteDraft): boolean {
  return addresses.some(({ host }) => host === "");
}

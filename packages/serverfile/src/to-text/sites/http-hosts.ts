import type { UsualPorts } from "./addresses.ts";
import { hostsOfDraft, isForAnyHost, type ServerDraft, type SiteDraft } from "./site-draft.ts";

/** True when the server has exactly one connection policy, for all connections and without settings. */
function hasBarePolicy({ members }: ServerDraft): boolean {
  return JSON.stringify(members.look("tls_connection_policies")) === "[{}]";
}

/** The environment of a server. */
interface HostPlace {
  /** Sites of all servers. */
  readonly sites: readonly SiteDraft[];
  /** Names in the policies of the app `tls`. */
  readonly subjects: readonly string[];
  readonly ports: UsualPorts;
}

/**
 * The hosts on sockets without a port for which the text needs addresses with the HTTP port but without `http://`.
 * Automatic HTTPS includes these hosts, but they have no certificate. Such a host is also on the server with the HTTP
 * port; or it causes the policy for all connections, and no policy lists it.
 */
export function httpHostsOf(server: ServerDraft, { sites, subjects, ports }: HostPlace): readonly string[] {
  if (server.listening.port !== undefined) {
    return [];
  }
  const own = sites.filter((site) => site.server === server);
  const hosts = own.flatMap(hostsOfDraft).filter((host) => !server.plainHosts.has(host));
  const ofHttpPort = sites.filter((site) => site.server.listening.port === ports.http);
  const elsewhere = new Set(ofHttpPort.flatMap(hostsOfDraft));
  const shared = hosts.filter((host) => elsewhere.has(host));
  if (shared.length > 0 || !hasBarePolicy(server) || own.some(isForAnyHost)) {
    return shared;
  }
  const without = hosts.filter((host) => !subjects.includes(host));
  return without.length < hosts.length ? without : hosts.slice(0, 1);
}

import type { JsonObject } from "server-core/json/json-value";
import { objectsOf, textsOf } from "../json-lists.ts";
import type { UsualPorts } from "./addresses.ts";
import { hostsOfDraft, isForAnyHost, type ServerDraft, type SiteDraft } from "./site-draft.ts";

/** True when the server has exactly one connection policy, for all connections and without settings. */
function hasBarePolicy({ members }: ServerDraft): boolean {
  return JSON.stringify(members.look("tls_connection_policies")) === "[{}]";
}

/**
 * The hosts on sockets without a port for which the text needs addresses with the HTTP port but without `http://`.
 * Automatic HTTPS includes these hosts, but they have no certificate. Such a host is also on the server with the HTTP
 * port; or it causes the policy for all connections, and no policy lists it.
 */
export function httpHostsOf(
  server: ServerDraft,
  sites: readonly SiteDraft[],
  tls: JsonObject,
  ports: UsualPorts,
): ReadonlySet<string> {
  const own = sites.filter((site) => site.server === server);
  if (server.listening.port !== undefined) {
    return new Set();
  }
  const elsewhere = new Set(
    sites.filter((site) => site.server.listening.port === ports.http).flatMap(hostsOfDraft),
  );
  const hosts = own.flatMap(hostsOfDraft).filter((host) => !server.plainHosts.has(host));
  const shared = hosts.filter((host) => elsewhere.has(host));
  if (shared.length > 0 || !hasBarePolicy(server) || own.some(isForAnyHost)) {
    return new Set(shared);
  }
  const subjects = objectsOf(tls, "automation", "policies").flatMap((policy) => textsOf(policy, "subjects"));
  const without = hosts.filter((host) => !subjects.includes(host));
  return new Set(without.length < hosts.length ? without : hosts.slice(0, 1));
}

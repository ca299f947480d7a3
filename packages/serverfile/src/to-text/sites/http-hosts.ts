import type { JsonObject } from "server-core/json/json-value";
import { objectsOf, textsOf } from "../json-lists.ts";
import type { UsualPorts } from "./addresses.ts";
import { hostsOfDraft, isForAnyHost, type ServerDraft, type SiteDraft } from "./site-draft.ts";

/** True when the server has exactly one connection policy, for all connections and without settings. */
function hasBarePolicy({ members }: ServerDraft): boolean {
  return JSON.stringify(members.look("tls_connection_policies")) === "[{}]";
}

/**
 * The hosts of a server on sockets without a port that are written with the HTTP port but without `http://`. Automatic
 * HTTPS does not skip them, but they have no certificate. They are also on a server with the HTTP port, or they cause
 * the policy for all connections; in this case no policy lists them.
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

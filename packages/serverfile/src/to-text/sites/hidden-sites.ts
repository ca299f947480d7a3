import type { HiddenAnyHost } from "../choices.ts";
import { objectsOf, textsOf, valueAt } from "../json-lists.ts";
import { hostsOfDraft, isForAnyHost, noRoutes, type ServerDraft, type SiteDraft } from "./site-draft.ts";

/** True when the logs contain settings that only a site for any host creates. */
function hasLogsOfAnyHost(server: ServerDraft): boolean {
  const { default_logger_name, skip_unmapped_hosts } = server.members.objectAt("logs");
  return default_logger_name !== undefined || skip_unmapped_hosts === true;
}

/** True when the only connection policy is for all connections. */
function hasLonePolicy({ members }: ServerDraft): boolean {
  const [policy, ...others] = objectsOf(members.look("tls_connection_policies"));
  return policy !== undefined && policy.match === undefined && others.length === 0;
}

/** True when a server's settings imply a site for any host, although no route shows such a site. */
function speaksOfHidden(server: ServerDraft, sites: readonly SiteDraft[]): boolean {
  const isSocket = server.listening.port === undefined;
  return (hasLogsOfAnyHost(server) || (!isSocket && hasLonePolicy(server))) && !sites.some(isForAnyHost);
}

/** True when the access log must belong to a site for any host: only such sites can cause this mapping of hosts. */
function hasLogOfAnyHost(site: SiteDraft): boolean {
  const logs = site.server.members.objectAt("logs");
  const hosts = hostsOfDraft(site);
  const isListed = (host: string) => textsOf(logs, "skip_hosts").includes(host);
  return logs.skip_unmapped_hosts === true
    ? hosts.every(isListed)
    : hosts.every((host) => valueAt(logs, "logger_names", host) === undefined && !isListed(host));
}

/**
 * Adds sites and addresses that no route of the config shows. The config hides hosts of a site with an address for any
 * host; and a site without matchers and routes has no route.
 */
export function withHiddenSites(
  sites: readonly SiteDraft[],
  servers: readonly ServerDraft[],
  hidden: HiddenAnyHost,
): readonly SiteDraft[] {
  const result = [...sites];
  for (const server of hidden === "none" ? [] : servers) {
    const own = sites.filter((site) => site.server === server);
    if (!speaksOfHidden(server, own)) {
      continue;
    }
    const withPaths = own.filter(({ addresses }) => addresses.every(({ path }) => path !== ""));
    const site = hidden === "alone" ? undefined : (withPaths.find(hasLogOfAnyHost) ?? withPaths[0]);
    const anyHost = { host: "", path: "" };
    if (site !== undefined) {
      result[result.indexOf(site)] = { ...site, addresses: [...site.addresses, anyHost] };
    } else {
      result.push({ server, addresses: [anyHost], main: noRoutes, errors: noRoutes });
    }
  }
  return result;
}

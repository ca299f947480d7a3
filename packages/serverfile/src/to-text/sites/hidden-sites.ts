import { isJsonArray, isJsonObject, type JsonObject } from "server-core/json/json-value";
import type { HiddenAnyHost } from "../choices.ts";
import { objectsOf } from "../json-lists.ts";
import type { UsualPorts } from "./addresses.ts";
import { hostsOfDraft, isForAnyHost, type ServerDraft, type SiteDraft } from "./site-draft.ts";

/** Settings of a server's logs; empty when it has none. */
function logsOf({ members }: ServerDraft): JsonObject {
  const logs = members.look("logs");
  return isJsonObject(logs) ? logs : {};
}

/** Whether logs say what only a site for any host makes them say. */
function hasLogsOfAnyHost(server: ServerDraft): boolean {
  const { default_logger_name, skip_unmapped_hosts } = logsOf(server);
  return default_logger_name !== undefined || skip_unmapped_hosts === true;
}

/** Whether the only connection policy is for all connections. */
function hasLonePolicy({ members }: ServerDraft): boolean {
  const [policy, ...others] = objectsOf(members.look("tls_connection_policies"));
  return policy !== undefined && policy.match === undefined && others.length === 0;
}

/** True when a server implies a site for any host, but has no such site. */
function speaksOfHidden(server: ServerDraft, sites: readonly SiteDraft[]): boolean {
  const isSocket = server.listening.port === undefined;
  return (hasLogsOfAnyHost(server) || (!isSocket && hasLonePolicy(server))) && !sites.some(isForAnyHost);
}

/** Whether {@link withHiddenSites} has something to add. */
export function hasHiddenSites(sites: readonly SiteDraft[], servers: readonly ServerDraft[]): boolean {
  return servers.some((server) =>
    speaksOfHidden(
      server,
      sites.filter((site) => site.server === server),
    ),
  );
}

/** True when the access log belongs to a site for any host: no hosts are mapped to it, or no host has a log. */
function hasLogOfAnyHost(site: SiteDraft): boolean {
  const { logger_names: names, skip_hosts: skipped, skip_unmapped_hosts } = logsOf(site.server);
  const hosts = hostsOfDraft(site);
  const listed = isJsonArray(skipped) ? skipped : [];
  const isListed = (host: string) => listed.some((each) => each === host);
  return skip_unmapped_hosts === true
    ? hosts.every(isListed)
    : hosts.every((host) => !(isJsonObject(names) && Object.hasOwn(names, host)) && !isListed(host));
}

/** The server that speaks TLS for hosts, which a site more fits best. */
function usualServer(servers: readonly ServerDraft[], ports: UsualPorts): ServerDraft | undefined {
  return servers.find(({ listening }) => listening.port === ports.https) ?? servers.at(-1);
}

/** Sites that have paths, and whose names are all automated, with an address for any host. */
function withAnyHostBeside(sites: readonly SiteDraft[], automated: readonly string[]): SiteDraft[] {
  return sites.map((site) => {
    const hosts = hostsOfDraft(site);
    const isIt =
      hosts.length > 0 &&
      hosts.every((host) => automated.includes(host)) &&
      site.addresses.every(({ path }) => path !== "");
    return isIt ? { ...site, addresses: [...site.addresses, { host: "", path: "" }] } : site;
  });
}

/** Guesses about sites that no route shows. */
interface HiddenSites {
  readonly hidden: HiddenAnyHost;
  readonly ports: UsualPorts;
  readonly automated: readonly string[];
}

/**
 * Adds sites and addresses that no route of the config shows. An address for any host hides the hosts beside
 * it, and a site without matchers and routes has no route at all.
 */
export function withHiddenSites(
  sites: readonly SiteDraft[],
  servers: readonly ServerDraft[],
  { hidden, ports, automated }: HiddenSites,
): readonly SiteDraft[] {
  if (hidden === "none") {
    return sites;
  }
  if (hidden === "beside names") {
    return withAnyHostBeside(sites, automated);
  }
  const chosen = hidden === "for names" ? usualServer(servers, ports) : undefined;
  const result = [...sites];
  for (const server of servers) {
    const own = sites.filter((site) => site.server === server);
    if (!speaksOfHidden(server, own) && (server !== chosen || own.some(isForAnyHost))) {
      continue;
    }
    const withPaths =
      hidden === "with paths"
        ? own.filter(({ addresses }) => addresses.every(({ path }) => path !== ""))
        : [];
    const site = withPaths.find(hasLogOfAnyHost) ?? withPaths[0];
    const anyHost = { host: "", path: "" };
    if (site !== undefined) {
      const addresses = [...site.addresses, anyHost];
      result[result.indexOf(site)] = { ...site, addresses };
    } else {
      result.push({
        server,
        addresses: [anyHost],
        routes: undefined,
        routesPath: server.members.pathOf("routes"),
        errors: undefined,
        errorsPath: server.members.pathOf("errors/routes"),
      });
    }
  }
  return result;
}

import type { HiddenAnyHost } from "../choices.ts";
import { objectsOf, textsOf, valueAt } from "../json-lists.ts";
import type { UsualPorts } from "./addresses.ts";
import { hostsOfDraft, isForAnyHost, type ServerDraft, type SiteDraft } from "./site-draft.ts";

/** Whether logs say what only a site for any host makes them say. */
function hasLogsOfAnyHost(server: ServerDraft): boolean {
  const { default_logger_name, skip_unmapped_hosts } = server.members.objectAt("logs");
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
  const logs = site.server.members.objectAt("logs");
  const hosts = hostsOfDraft(site);
  const isListed = (host: string) => textsOf(logs, "skip_hosts").includes(host);
  return logs.skip_unmapped_hosts === true
    ? hosts.every(isListed)
    : hosts.every((host) => valueAt(logs, "logger_names", host) === undefined && !isListed(host));
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
      result[result.indexOf(site)] = { ...site, addresses: [...site.addresses, anyHost] };
    } else {
      const none = { routes: undefined, errors: undefined, routesPath: "", errorsPath: "" };
      result.push({ server, addresses: [anyHost], ...none });
    }
  }
  return result;
}

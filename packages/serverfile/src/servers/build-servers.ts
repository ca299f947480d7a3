import { ServerError } from "server-core/errors";
import { usePortOtherThan } from "../addresses/network-address.ts";
import type { SiteAddress } from "../addresses/site-address.ts";
import { buildRoutes, mergeRoutes } from "../routes/build-routes.ts";
import type { NamedRoutes } from "../routes/named-routes.ts";
import { type GroupNames, type Route, routeToJson } from "../routes/route.ts";
import { isRouteResult } from "../routes/site-results.ts";
import { type GlobalOptions, httpPortOf, httpsPortOf } from "../sites/global-options.ts";
import type { ServerSites } from "../sites/listeners.ts";
import { hostsOf, logHostsOf, resultsOf, type ServedSite, servesAnyHost } from "../sites/site.ts";
import { siteMatchers, wrapSiteRoutes } from "../sites/site-routes.ts";
import { addSitePolicies, finishPolicies, type PolicyDrafts } from "../tls/connection-policies.ts";
import { type Draft, listOf, onlyGiven } from "../values/draft.ts";

/** Members of `automatic_https`, by the option's words. */
const autoHttpsMembers: Readonly<Record<string, string>> = {
  off: "disable",
  disable_redirects: "disable_redirects",
  disable_certs: "disable_certificates",
  ignore_loaded_certs: "ignore_loaded_certificates",
};

/**
 * Refuses an address that two sites of a server have, because the server could not choose a site for its requests.
 * @throws ServerError CONFIG_ADAPTER
 */
function refuseDoubleKeys(sites: readonly ServedSite[]): void {
  const owners = new Map<string, ServedSite>();
  for (const served of sites) {
    for (const key of served.keys) {
      const owner = owners.get(key);
      if (owner !== undefined && owner !== served) {
        const token = served.site.block.keys.find(({ text }) => text === key);
        throw new ServerError(
          "CONFIG_ADAPTER",
          `ambiguous site definition: ${key}, at ${token?.file}:${token?.line}`,
        );
      }
      owners.set(key, served);
    }
  }
}

/** Builds one server from its sites. `build` is called once. */
class ServerBuilder {
  readonly #options: GlobalOptions;
  readonly #groups: GroupNames;
  readonly #listen: readonly string[];
  readonly #sites: readonly ServedSite[];
  readonly #draft: Draft = {};
  /** TLS connection policies of the added sites. */
  readonly #policies: PolicyDrafts = { policies: [], plain: [], hasCatchAll: false };
  readonly #routes: Route[] = [];
  readonly #errorRoutes: Route[] = [];
  #hasErrorRoutes = false;
  /** Members of `automatic_https`; undefined without settings. */
  #automatic: Draft | undefined;
  /** Members of `logs`; undefined without a site that has a log. */
  #logs: Draft | undefined;
  /** True when a site of the server needs TLS. */
  #needsTls = false;
  /** True when automatic HTTPS will add a connection policy at start. In this case, an empty policy can be left out. */
  #automaticAddsPolicy: boolean;

  constructor(group: ServerSites, options: GlobalOptions, groups: GroupNames) {
    this.#options = options;
    this.#groups = groups;
    this.#listen = group.listeners.map(({ address }) => address);
    if (this.#listen.length > 0) {
      this.#draft.listen = [...this.#listen];
    }
    if (group.listeners.some(({ protocols }) => protocols.length > 0)) {
      this.#draft.listen_protocols = group.listeners.map(({ protocols }) =>
        protocols.length === 0 ? null : [...protocols],
      );
    }
    for (const mode of options.autoHttps ?? []) {
      this.#automatic ??= {};
      this.#automatic[autoHttpsMembers[mode] ?? mode] = true;
    }
    this.#automaticAddsPolicy = this.#automatic?.disable !== true;
    refuseDoubleKeys(group.sites);
    this.#sites = group.sites;
    if (this.#sites.some(({ site }) => resultsOf(site, "log").length > 0)) {
      this.#logs = {};
    }
  }

  /** Returns the server's JSON. @throws ServerError CONFIG_ADAPTER for HTTP and HTTPS on the same port */
  build(named: NamedRoutes): Draft {
    const routes = named.used(this.#sites.flatMap(({ site }) => [...site.invoked]));
    if (routes !== undefined) {
      this.#draft.named_routes = routes;
    }
    for (const served of this.#sites) {
      this.#addSite(served);
    }
    if (this.#logs !== undefined && Array.isArray(this.#logs.skip_hosts)) {
      this.#logs.skip_hosts.sort();
    }
    this.#refuseMixedSchemes();
    const { defaultSni = "", fallbackSni = "" } = this.#options;
    const policies = finishPolicies(
      this.#policies,
      (hasPolicies) =>
        this.#needsTls &&
        (hasPolicies || !this.#automaticAddsPolicy || defaultSni !== "" || fallbackSni !== ""),
      this.#options,
    );
    return {
      ...this.#draft,
      ...onlyGiven({
        routes: mergeRoutes(this.#routes).map(routeToJson),
        errors: this.#hasErrorRoutes ? onlyGiven({ routes: this.#errorRoutes.map(routeToJson) }) : undefined,
        tls_connection_policies: policies,
        automatic_https: this.#automatic,
        logs: this.#logs,
      }),
    };
  }

  /** Adds the routes, error routes, policies and logs of a site. */
  #addSite(served: ServedSite): void {
    const { site } = served;
    const matchers = siteMatchers(served);
    const isAlone = this.#sites.length === 1;
    addSitePolicies(this.#policies, served, this.#options);
    for (const address of served.addresses) {
      this.#lookAtTls(served, address);
    }
    const routes = buildRoutes(site.results.filter(isRouteResult), this.#groups, this.#options.order);
    this.#routes.push(...wrapSiteRoutes(routes, matchers, isAlone));
    const errors = resultsOf(site, "errorRoute").map(({ route }) => route);
    if (errors.length > 0) {
      this.#hasErrorRoutes = true;
      const sorted = [
        ...errors.filter(({ match }) => match !== undefined),
        ...errors.filter(({ match }) => match === undefined),
      ];
      this.#errorRoutes.push(...wrapSiteRoutes(sorted, matchers, isAlone));
    }
    this.#addLogs(served);
  }

  /**
   * Evaluates a site address for TLS. A host with `http://` on a port other than the HTTP port gets no automatic HTTPS.
   */
  #lookAtTls({ site }: ServedSite, { scheme, host, port }: SiteAddress): void {
    const [httpPort, httpsPort] = [httpPortOf(this.#options), httpsPortOf(this.#options)];
    if (usePortOtherThan(this.#listen, httpPort) && scheme === "http" && host !== "") {
      this.#automatic ??= {};
      const skip = listOf(this.#automatic, "skip");
      if (!skip.includes(host)) {
        skip.push(host);
      }
    }
    const skipped = this.#automatic?.skip;
    const isSkipped = Array.isArray(skipped) && skipped.includes(host);
    const hasTls = resultsOf(site, "connectionPolicy").length > 0 || (host !== "" && !isSkipped);
    const isHttpPort = port === `${httpPort}`;
    if (scheme === "https" || (scheme !== "http" && !isHttpPort && hasTls)) {
      this.#needsTls = true;
    }
    this.#automaticAddsPolicy &&= port === `${httpsPort}` || (!isHttpPort && host !== "");
  }

  /** Maps the hosts of a site to its logs. A site without a log writes no access log if another site has a log. */
  #addLogs(served: ServedSite): void {
    const logs = this.#logs;
    if (logs === undefined) {
      return;
    }
    const results = resultsOf(served.site, "log");
    const siteHosts = logHostsOf(served);
    for (const { log } of results) {
      if (log.noHost) {
        continue;
      }
      if (log.hosts.length === 0 && servesAnyHost(served)) {
        if (log.name === "") {
          delete logs.default_logger_name;
        } else {
          logs.default_logger_name = log.name;
        }
        continue;
      }
      for (const host of log.hosts.length > 0 ? log.hosts : siteHosts) {
        const bare = log.hosts.length > 0 ? host : host.replace(/^\[(.*)\]:\d+$|^([^:]*):\d+$/, "$1$2");
        logs.logger_names ??= {};
        listOf(logs.logger_names as Draft, bare).push(log.name);
      }
    }
    if (results.length === 0) {
      if (hostsOf(served).length === 0) {
        logs.skip_unmapped_hosts = true;
      }
      if (siteHosts.length > 0) {
        listOf(logs, "skip_hosts").push(...siteHosts);
      }
    }
  }

  /** @throws ServerError CONFIG_ADAPTER when a port has both HTTP and HTTPS addresses */
  #refuseMixedSchemes(): void {
    const [httpPort, httpsPort] = [`${httpPortOf(this.#options)}`, `${httpsPortOf(this.#options)}`];
    const hasPolicies = this.#policies.policies.length > 0;
    let seen: "HTTP" | "HTTPS" | undefined;
    const listen = `[${this.#listen.join(" ")}]`;
    const refuse = (message: string) => {
      throw new ServerError("CONFIG_ADAPTER", `server listening on ${listen} is ${message}`);
    };
    for (const { scheme, port, host, original } of this.#sites.flatMap(({ addresses }) => addresses)) {
      const isHttp = scheme === "http" || port === httpPort;
      const isHttps = scheme === "https" || port === httpsPort || hasPolicies;
      if (isHttp || (!isHttps && host === "")) {
        if (seen === "HTTPS") {
          const hint = scheme === "" && host === "" ? " (try specifying https:// in the address)" : "";
          refuse(`configured for HTTPS and cannot natively multiplex HTTP and HTTPS: ${original}${hint}`);
        }
        if (hasPolicies) {
          refuse("HTTP, but attempts to configure TLS connection policies");
        }
        seen = "HTTP";
      } else if (isHttps) {
        if (seen === "HTTP") {
          refuse(`configured for HTTP and cannot natively multiplex HTTP and HTTPS: ${original}`);
        }
        seen = "HTTPS";
      }
    }
  }
}

/**
 * Builds the JSON of a server from sites that share listeners, the most specific first. @throws ServerError
 * CONFIG_ADAPTER
 */
export function buildServer(
  group: ServerSites,
  options: GlobalOptions,
  groups: GroupNames,
  named: NamedRoutes,
): Draft {
  return new ServerBuilder(group, options, groups).build(named);
}

import type { HttpAppConfig } from "./http-config.ts";
import type { ObservedHosts } from "./route-observer.ts";

/** Characters of host patterns and placeholders: a host that contains one of them is not a single host. */
const pattern = /[*{]/;

function namedHosts(config: HttpAppConfig): Set<string> {
  const sets = Object.values(config.servers ?? {}).flatMap(({ routes }) =>
    (routes ?? []).flatMap(({ match }) => match ?? []),
  );
  const hosts = sets.flatMap(({ host }) => (Array.isArray(host) ? host : []));
  return new Set(
    hosts
      .filter((host): host is string => typeof host === "string" && !pattern.test(host))
      .map((host) => host.toLowerCase()),
  );
}

/**
 * Plans the metrics by route, and the hosts that are counted separately. @returns undefined when requests are
 * not counted by route
 */
export function planRouteMetrics(
  config: HttpAppConfig,
): { readonly hosts: ObservedHosts | undefined } | undefined {
  const ofServers = Object.values(config.servers ?? {}).flatMap(({ metrics }) => metrics ?? []);
  if (!config.metrics && ofServers.length === 0) {
    return undefined;
  }
  const perHost = config.metrics?.per_host === true || ofServers.some(({ per_host: each }) => each === true);
  return {
    hosts: perHost
      ? { named: namedHosts(config), others: config.metrics?.observe_catchall_hosts === true }
      : undefined,
  };
}

/**
 * True when a host with `*.` at its start covers a host or a narrower wildcard. The `*` stands for one or more labels.
 */
function covers(wild: string, host: string): boolean {
  return wild.startsWith("*.") && host.endsWith(wild.slice(1)) && host.length > wild.length - 1;
}

/**
 * The hosts that a listener and a route have in common.
 * @param listenerHost "" for every host. @param routeHosts empty for every host
 * @returns empty when there is none; [""] for every host
 */
export function commonHosts(listenerHost: string, routeHosts: readonly string[]): string[] {
  if (listenerHost === "" || routeHosts.length === 0) {
    return routeHosts.length === 0 ? [listenerHost] : [...routeHosts];
  }
  const common = routeHosts.flatMap((host) => {
    if (host === listenerHost || covers(listenerHost, host)) {
      return [host];
    }
    return covers(host, listenerHost) ? [listenerHost] : [];
  });
  return [...new Set(common)];
}

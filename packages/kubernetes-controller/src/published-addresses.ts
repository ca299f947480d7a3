import type { Snapshot } from "./translate/snapshot.ts";

/**
 * Addresses at which clients reach the server: the given ones, and those of a Service. A Service has the addresses of
 * its load balancer, else its external ones, else the one inside of the cluster.
 */
export function publishedAddresses(
  { services }: Snapshot,
  settings: { readonly publishAddresses: readonly string[]; readonly publishService: string },
): string[] {
  const service = services.get(settings.publishService);
  const balanced = (service?.status?.loadBalancer?.ingress ?? []).flatMap(
    ({ ip, hostname }) => ip ?? hostname ?? [],
  );
  const external = service?.spec?.externalIPs ?? [];
  const { clusterIP = "", type } = service?.spec ?? {};
  // A load balancer gets its address later.
  const inside = clusterIP === "" || clusterIP === "None" || type === "LoadBalancer" ? [] : [clusterIP];
  const found = balanced.length > 0 ? balanced : external.length > 0 ? external : inside;
  return [...new Set([...settings.publishAddresses, ...found])];
}

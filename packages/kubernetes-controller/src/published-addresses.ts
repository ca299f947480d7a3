import type { Snapshot } from "./translate/snapshot.ts";

/**
 * Addresses at which clients reach the server: the configured ones, and those of a Service. The addresses of a Service
 * are those of its load balancer; without these, its external IPs; without these, its cluster IP.
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

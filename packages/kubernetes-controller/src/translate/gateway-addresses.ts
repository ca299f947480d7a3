import type { Gateway } from "../cluster/gateway-object.ts";
import { keyOf } from "../cluster/kube-object.ts";

/** The addresses of a Gateway, or why it has none. */
export interface GatewayPlace {
  /** Address to listen on; "" is every address. */
  readonly listen: string;
  /** Addresses for the status. */
  readonly published: readonly string[];
  /** Why this Gateway has no address; undefined when it has one. */
  readonly fault?: { readonly reason: "AddressNotUsable" | "AddressNotAssigned"; readonly message: string };
}

function wantedOf({ spec }: Gateway): string[] {
  return (spec?.addresses ?? []).flatMap(({ value = "" }) => (value === "" ? [] : [value]));
}

/** All Gateways share the addresses of this server. */
function sharedPlace(gateway: Gateway, published: readonly string[]): GatewayPlace {
  const unusable = wantedOf(gateway).find((address) => !published.includes(address));
  return unusable === undefined
    ? { listen: "", published }
    : {
        ...{ listen: "", published: [] },
        fault: { reason: "AddressNotUsable", message: `${unusable} is no address of this server` },
      };
}

/**
 * Gives each Gateway an address of its own, when there is a pool. A Gateway gets the address in its spec; without one,
 * the address in its status; otherwise the first free address. Older Gateways choose first, so a restart changes
 * nothing.
 * @param pool empty: Gateways share the addresses of the server. @param published those addresses
 */
export function placeGateways(
  gateways: readonly Gateway[],
  pool: readonly string[],
  published: readonly string[],
): Map<string, GatewayPlace> {
  const places = new Map<string, GatewayPlace>();
  if (pool.length === 0) {
    for (const gateway of gateways) {
      places.set(keyOf(gateway), sharedPlace(gateway, published));
    }
    return places;
  }
  const free = new Set(pool);
  const give = (gateway: Gateway, address: string | undefined) => {
    if (address !== undefined && free.delete(address)) {
      places.set(keyOf(gateway), { listen: address, published: [address] });
    }
  };
  const refuse = (gateway: Gateway, reason: "AddressNotUsable" | "AddressNotAssigned", message: string) =>
    places.set(keyOf(gateway), { listen: "", published: [], fault: { reason, message } });
  const created = ({ metadata }: Gateway) => metadata.creationTimestamp ?? "";
  const byAge = [...gateways].sort((a, b) =>
    created(a) < created(b) ? -1 : created(a) > created(b) ? 1 : 0,
  );
  for (const gateway of byAge) {
    const [wanted] = wantedOf(gateway);
    if (wanted !== undefined) {
      give(gateway, wanted);
      if (!places.has(keyOf(gateway))) {
        refuse(gateway, "AddressNotUsable", `${wanted} is taken, or no address of the pool`);
      }
    }
  }
  const rest = () => byAge.filter((gateway) => !places.has(keyOf(gateway)));
  for (const gateway of rest()) {
    give(gateway, gateway.status?.addresses?.[0]?.value);
  }
  for (const gateway of rest()) {
    give(gateway, free.values().next().value);
    if (!places.has(keyOf(gateway))) {
      refuse(gateway, "AddressNotAssigned", "no address of the pool is free");
    }
  }
  return places;
}

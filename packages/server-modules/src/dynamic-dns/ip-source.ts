import { isIP } from "node:net";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { DynamicDnsConfig } from "./dynamic-dns-config.ts";

/** An address of this machine, and the type of its DNS record. */
export interface PublicAddress {
  /** In the form that DNS servers return: IPv6 shortened, in lower case. */
  readonly ip: string;
  /** `A` for IPv4, `AAAA` for IPv6. */
  readonly type: "A" | "AAAA";
}

/** The part of the app's config that selects addresses. */
export type AddressChoice = Pick<DynamicDnsConfig, "versions" | "include" | "exclude">;

/** A way to find the public addresses of this machine. */
export interface IpSource extends ModuleInstance {
  /** Returns at most one address of each type. @throws Error when the address cannot be determined */
  addresses(choice: AddressChoice, signal: AbortSignal): Promise<readonly PublicAddress[]>;
}

/** Namespace of the modules in `ip_sources`. */
export const ipSources: ModuleNamespace<IpSource> = { prefix: "dynamic_dns.ip_sources" };

/**
 * Normalizes an address: `2001:DB8:0::1` becomes `2001:db8::1`. An address with a zone (`fe80::1%eth0`) is refused,
 * because the zone has a meaning only on this machine. @returns undefined for text that is no address
 */
export function publicAddress(text: string): PublicAddress | undefined {
  const version = isIP(text);
  if (version === 0 || text.includes("%")) {
    return undefined;
  }
  return version === 4
    ? { ip: text, type: "A" }
    : { ip: new URL(`http://[${text}]`).hostname.slice(1, -1), type: "AAAA" };
}

/** True when the config keeps records of this type. Types that the config does not name are kept. */
export function isVersionWanted({ versions }: AddressChoice, { type }: PublicAddress): boolean {
  return (type === "A" ? versions?.ipv4 : versions?.ipv6) !== false;
}

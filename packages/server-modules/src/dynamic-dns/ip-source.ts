import { isIP } from "node:net";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { DynamicDnsConfig } from "./dynamic-dns-config.ts";

/** An address of this machine, and the type of its DNS record. */
export interface PublicAddress {
  /** In the form in which DNS servers give it: IPv6 short, in lower case. */
  readonly ip: string;
  /** `A` for IPv4, `AAAA` for IPv6. */
  readonly type: "A" | "AAAA";
}

/** The choice among addresses in the app's config. */
export type AddressChoice = Pick<DynamicDnsConfig, "versions" | "include" | "exclude">;

/** A way to find the public addresses of this machine. */
export interface IpSource extends ModuleInstance {
  /** At most one of each kind. @throws Error where it cannot know */
  addresses(choice: AddressChoice, signal: AbortSignal): Promise<readonly PublicAddress[]>;
}

/** Where `ip_sources` of the app finds its modules. */
export const ipSources: ModuleNamespace<IpSource> = { prefix: "dynamic_dns.ip_sources" };

/**
 * `2001:DB8:0::1` becomes `2001:db8::1`. An address with a zone is none, since it means nothing elsewhere.
 * @returns undefined for a text that is no address
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

/** Whether the config keeps records of this kind. Kinds that it does not name are kept. */
export function isVersionWanted({ versions }: AddressChoice, { type }: PublicAddress): boolean {
  return (type === "A" ? versions?.ipv4 : versions?.ipv6) !== false;
}

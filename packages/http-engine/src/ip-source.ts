import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";

/** Knows a set of addresses: proxies that are trusted. */
export interface IpSource extends ModuleInstance {
  /** True when an address is in the present ranges; sources may load new ranges at any time. */
  contains(address: string): boolean;
}

/** Modules that list the networks of trusted proxies. */
export const ipSources: ModuleNamespace<IpSource> = { prefix: "http.ip_sources" };

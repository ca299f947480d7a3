import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";

/** A set of IP addresses, used for trusted proxies. */
export interface IpSource extends ModuleInstance {
  /** True when an address is in the current ranges. A source may replace its ranges at any time. */
  contains(address: string): boolean;
}

/** Modules that list the networks of trusted proxies. */
export const ipSources: ModuleNamespace<IpSource> = { prefix: "http.ip_sources" };

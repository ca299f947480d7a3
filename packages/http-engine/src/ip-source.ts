import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";

/** Knows a set of addresses: proxies that are trusted. */
export interface IpSource extends ModuleInstance {
  contains(address: string): boolean;
}

export const ipSources: ModuleNamespace<IpSource> = { prefix: "http.ip_sources" };

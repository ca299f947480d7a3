import type { ModuleInstance, ModuleNamespace } from "./module-instance.ts";

/** The proxy for connections that the server itself opens. */
export interface NetworkProxy extends ModuleInstance {
  /** URL of an HTTP proxy; may contain placeholders. "": connections use no proxy. */
  readonly url: string;
}

export const networkProxies: ModuleNamespace<NetworkProxy> = { prefix: "network_proxy" };

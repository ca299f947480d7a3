import type { ModuleInstance, ModuleNamespace } from "./module-instance.ts";

/** Which proxy connections of the server's own go through. */
export interface NetworkProxy extends ModuleInstance {
  /** URL of an HTTP proxy, placeholders allowed; "" for none: connections go straight. */
  readonly url: string;
}

export const networkProxies: ModuleNamespace<NetworkProxy> = { prefix: "network_proxy" };

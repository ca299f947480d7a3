import type { Exchange } from "http-engine/exchange";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";

/** Finds upstreams while requests come. */
export interface UpstreamSource extends ModuleInstance {
  /**
   * Addresses to dial, the best first. At once where they are known.
   * @param again true after a request failed with the upstreams given before: look them up anew
   * @throws Error when nothing is found and nothing is known
   */
  find(exchange: Exchange, again: boolean): readonly string[] | Promise<readonly string[]>;
}

/** Where `dynamic_upstreams` finds its modules: `a`, `srv`, `multi`, and those of users. */
export const upstreamSources: ModuleNamespace<UpstreamSource> = { prefix: "http.reverse_proxy.upstreams" };

import type { Exchange } from "http-engine/exchange";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";

/** Finds upstreams while requests come. */
export interface UpstreamSource extends ModuleInstance {
  /**
   * Addresses to dial, the best first. At once where they are known.
   * @param again true after a request failed with the previous upstreams: look them up again
   * @throws Error when nothing is found and nothing is known
   */
  find(exchange: Exchange, again: boolean): readonly string[] | Promise<readonly string[]>;
}

/** Namespace of `dynamic_upstreams` modules: `a`, `srv`, `multi`, and modules of users. */
export const upstreamSources: ModuleNamespace<UpstreamSource> = { prefix: "http.reverse_proxy.upstreams" };

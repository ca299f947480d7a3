import type { Exchange } from "http-engine/exchange";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";

/** Finds upstreams dynamically, while requests arrive. */
export interface UpstreamSource extends ModuleInstance {
  /**
   * Returns addresses to dial, in order of preference; without a promise when they are cached.
   * @param again true: a request failed with the previous upstreams, so they are looked up again
   * @throws Error when the look-up finds no address, and no address is cached
   */
  find(exchange: Exchange, again: boolean): readonly string[] | Promise<readonly string[]>;
}

/** Namespace of `dynamic_upstreams` modules: `a`, `srv`, `multi`, and modules of users. */
export const upstreamSources: ModuleNamespace<UpstreamSource> = { prefix: "http.reverse_proxy.upstreams" };

import type { Exchange } from "http-engine/exchange";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";

/** Finds upstreams dynamically, while requests arrive. */
export interface UpstreamSource extends ModuleInstance {
  /**
   * Returns addresses to dial, the preferred first; synchronously when they are cached.
   * @param again true after a request failed with the previous upstreams: look them up again
   * @throws Error when nothing is found, and nothing is cached
   */
  find(exchange: Exchange, again: boolean): readonly string[] | Promise<readonly string[]>;
}

/** Namespace of `dynamic_upstreams` modules: `a`, `srv`, `multi`, and modules of users. */
export const upstreamSources: ModuleNamespace<UpstreamSource> = { prefix: "http.reverse_proxy.upstreams" };

import type { Exchange } from "http-engine/exchange";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { Candidate } from "./candidate.ts";

/** Chooses the upstream of a request. */
export interface SelectionPolicy extends ModuleInstance {
  /**
   * Called for each attempt. undefined: the policy rejects all upstreams, which counts as "no upstream available".
   * @param available not empty; in the order of the config
   */
  readonly select: (available: readonly Candidate[], exchange: Exchange) => Candidate | undefined;
}

/** A policy that does not use the HTTP request, so that it can serve connections of any protocol. */
export interface AddressPolicy extends ModuleInstance {
  /** @param client address of the connected peer */
  readonly select: (
    available: readonly Candidate[],
    client: { readonly remoteAddress: string },
  ) => Candidate | undefined;
}

/** Namespace of the modules of `lb_policy` and `selection_policy`. */
export const selectionPolicies: ModuleNamespace<SelectionPolicy> = {
  prefix: "http.reverse_proxy.selection_policies",
};

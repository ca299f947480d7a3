import type { Exchange } from "http-engine/exchange";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { Candidate } from "./candidate.ts";

/** Chooses who gets a request. */
export interface SelectionPolicy extends ModuleInstance {
  /**
   * Called for each try. undefined: the policy accepts none, which counts as none available.
   * @param available not empty; in the order of the config
   */
  readonly select: (available: readonly Candidate[], exchange: Exchange) => Candidate | undefined;
}

/** A policy that looks at no request: it serves connections of any protocol. */
export interface AddressPolicy extends ModuleInstance {
  /** @param client address of the connected peer */
  readonly select: (
    available: readonly Candidate[],
    client: { readonly remoteAddress: string },
  ) => Candidate | undefined;
}

/** Where `lb_policy` and `selection_policy` find their modules. */
export const selectionPolicies: ModuleNamespace<SelectionPolicy> = {
  prefix: "http.reverse_proxy.selection_policies",
};

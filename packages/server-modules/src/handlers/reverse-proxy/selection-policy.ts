import type { Exchange } from "http-engine/exchange";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { Candidate } from "./candidate.ts";

/** Chooses who gets a request. */
export interface SelectionPolicy extends ModuleInstance {
  /** @param available not empty; in the order of the config */
  select(available: readonly Candidate[], exchange: Exchange): Candidate | undefined;
}

export const selectionPolicies: ModuleNamespace<SelectionPolicy> = {
  prefix: "http.reverse_proxy.selection_policies",
};

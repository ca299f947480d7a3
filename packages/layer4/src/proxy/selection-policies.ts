import type { ModuleNamespace } from "server-core/modules/module";
import type { AddressPolicy } from "server-modules/handlers/reverse-proxy/selection-policy";

/** Policies of the HTTP proxy that do not use the request, under their own module ids. */
export const selectionPolicies: ModuleNamespace<AddressPolicy> = {
  prefix: "layer4.proxy.selection_policies",
};

import type { ModuleNamespace } from "server-core/modules/module";
import type { AddressPolicy } from "server-modules/handlers/reverse-proxy/selection-policy";

/** The policies of the HTTP proxy that look at no request, under names of their own. */
export const selectionPolicies: ModuleNamespace<AddressPolicy> = {
  prefix: "layer4.proxy.selection_policies",
};

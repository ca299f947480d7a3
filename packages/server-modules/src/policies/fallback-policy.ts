import type { JsonValue } from "server-core/json/json-value";
import { inlineModule } from "server-core/modules/config-fields";
import type { ModuleContext } from "server-core/modules/module-context";
import { type SelectionPolicy, selectionPolicies } from "../handlers/reverse-proxy/selection-policy.ts";

/** Config field for the policy that decides when the main policy cannot. */
export const fallbackField = inlineModule("http.reverse_proxy.selection_policies", "policy")
  .nullish()
  .describe("Policy for requests that have no such value (random).");

/** @throws ServerError of the policy's module */
export function loadFallback(
  fallback: Record<string, unknown> | null | undefined,
  context: ModuleContext,
): Promise<SelectionPolicy> {
  return context.loadInline(
    selectionPolicies,
    "policy",
    (fallback ?? { policy: "random" }) as JsonValue,
    "fallback",
  );
}

import type { JsonObject, JsonValue } from "server-core/json/json-value";
import { type Choices, waysToWrite } from "./choices.ts";
import { hasOnly, objectsOf, textsOf, valueAt } from "./json-lists.ts";
import { Members } from "./members.ts";
import { hasHiddenSites } from "./sites/hidden-sites.ts";
import { readServers } from "./sites/read-servers.ts";
import { hasNoCertificates } from "./sites/site-draft.ts";

/** True when policies only name certificates. */
function hasPlainPolicies(tls: JsonObject): boolean {
  const automated = JSON.stringify(textsOf(tls, "certificates", "automate"));
  return objectsOf(tls, "automation", "policies").some(
    (policy) => hasOnly(policy, "subjects") && JSON.stringify(policy.subjects) !== automated,
  );
}

/**
 * The choices for a config, the usual ones first. Only choices that can matter are tried: each costs one adaption
 * of the
 * whole text. @throws ServerError CONFIG_INEXPRESSIBLE
 */
export function choicesFor(config: JsonValue): Choices[] {
  const members = new Members(config, "/config");
  const tls = members.objectAt("apps", "tls");
  const { servers, sites } = readServers(members.child("apps")?.child("http")?.child("servers"));
  return waysToWrite({
    hasPolicies: objectsOf(tls, "automation", "policies").length > 0,
    hasAutomatedNames:
      valueAt(tls, "certificates", "automate") !== undefined || servers.some(hasNoCertificates),
    hasHiddenSites: hasHiddenSites(sites, servers),
    hasPlainPolicies: hasPlainPolicies(tls),
    hasGroupedErrors: sites.some(
      ({ errors }) => errors !== undefined && JSON.stringify(errors).includes('"group":'),
    ),
  });
}

import { isJsonObject, type JsonObject, type JsonValue } from "server-core/json/json-value";
import { type Choices, waysToWrite } from "./choices.ts";
import { objectsOf } from "./json-lists.ts";
import { Members } from "./members.ts";
import { hasHiddenSites } from "./sites/hidden-sites.ts";
import { readServers } from "./sites/read-servers.ts";
import type { ServerDraft } from "./sites/site-draft.ts";

/** True when policies only name certificates. */
function hasPlainPolicies({ automation, certificates }: JsonObject): boolean {
  const policies = isJsonObject(automation) && Array.isArray(automation.policies) ? automation.policies : [];
  const automated = JSON.stringify(isJsonObject(certificates) ? (certificates.automate ?? []) : []);
  return policies.some(
    (policy) =>
      isJsonObject(policy) &&
      Object.keys(policy).join() === "subjects" &&
      JSON.stringify(policy.subjects) !== automated,
  );
}

/** Whether automatic certificates are off on a server. The config lists no names of certificates then. */
function hasNoCertificates({ members }: ServerDraft): boolean {
  const automatic = members.look("automatic_https");
  return isJsonObject(automatic) && (automatic.disable === true || automatic.disable_certificates === true);
}

/**
 * The choices for a config, the usual ones first. Only choices that can matter are tried: each costs one adaption
 * of the
 * whole text. @throws ServerError CONFIG_INEXPRESSIBLE
 */
export function choicesFor(config: JsonValue): Choices[] {
  const members = new Members(config, "/config");
  const tls = members.objectAt("apps", "tls");
  const { automation, certificates } = tls;
  const { servers, sites } = readServers(members.child("apps")?.child("http")?.child("servers"));
  return waysToWrite({
    hasPolicies: isJsonObject(automation) && objectsOf(automation.policies).length > 0,
    hasAutomatedNames:
      (isJsonObject(certificates) && certificates.automate !== undefined) || servers.some(hasNoCertificates),
    hasHiddenSites: hasHiddenSites(sites, servers),
    hasPlainPolicies: hasPlainPolicies(tls),
    hasGroupedErrors: sites.some(
      ({ errors }) => errors !== undefined && JSON.stringify(errors).includes('"group":'),
    ),
  });
}

import type { JsonObject, JsonValue } from "server-core/json/json-value";
import type { Choices } from "./choices.ts";
import { hasOnly, objectsOf, textsOf, valueAt } from "./json-lists.ts";
import { Members } from "./members.ts";
import { usualPortsOf } from "./sites/addresses.ts";
import { withHiddenSites } from "./sites/hidden-sites.ts";
import { readServers } from "./sites/read-servers.ts";
import { hasNoCertificates } from "./sites/site-draft.ts";

/** True when a policy only lists names, and these names are not the list `automate`. */
function hasPlainPolicies(tls: JsonObject): boolean {
  const automated = JSON.stringify(textsOf(tls, "certificates", "automate"));
  return objectsOf(tls, "automation", "policies").some(
    (policy) => hasOnly(policy, "subjects") && JSON.stringify(policy.subjects) !== automated,
  );
}

/**
 * The choices for a config: first the usual choices, then variants with one part in its alternative place. Choices that
 * have no effect on this config are left out, because each costs one adaption of the whole text. @throws ServerError
 * CONFIG_INEXPRESSIBLE
 */
export function choicesFor(config: JsonValue): Choices[] {
  const members = new Members(config, "/config");
  const tls = members.objectAt("apps", "tls");
  const { servers, sites } = readServers(members, usualPortsOf(members));
  const hasPolicies = objectsOf(tls, "automation", "policies").length > 0;
  const usual: Choices = {
    globalCertificates: true,
    acmeOptions: true,
    merging: "alike",
    errorsFirst: false,
    automatedAddresses: "unserved",
    hiddenAnyHost: "none",
    // If a policy has names but no settings, another site has settings for all names.
    namesScheme: hasPolicies && hasPlainPolicies(tls),
    defaultBind: true,
  };
  const others: Partial<Choices>[] = [{ merging: "same" }, { defaultBind: false }];
  if (hasPolicies) {
    others.push({ globalCertificates: false }, { acmeOptions: false }, { namesScheme: !usual.namesScheme });
  }
  if (valueAt(tls, "certificates", "automate") !== undefined || servers.some(hasNoCertificates)) {
    const places = ["none", "all", "internal", "first"] as const;
    others.push(...places.map((automatedAddresses) => ({ automatedAddresses })));
  }
  if (withHiddenSites(sites, servers, "alone").length > sites.length) {
    others.push({ hiddenAnyHost: "with paths" }, { hiddenAnyHost: "alone" });
  }
  if (sites.some(({ errors }) => JSON.stringify(errors.routes ?? null).includes('"group":'))) {
    others.push({ errorsFirst: true });
  }
  return [usual, ...others.map((other) => ({ ...usual, ...other }))];
}

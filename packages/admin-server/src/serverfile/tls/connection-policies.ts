import { ServerError } from "../../core/errors.ts";
import type { GlobalOptions } from "../global-options/global-options.ts";
import { hostsOf, resultsOf, type ServedSite } from "../routes/site.ts";
import { type Draft, type DraftValue, isEmptyDraft, sameJson, sortedJson } from "../values/draft.ts";
import { stableSort } from "../values/stable-sort.ts";
import { matchesWildcard } from "./certificate-subjects.ts";

/** The policies of one server while its sites are read. */
export interface PolicyDrafts {
  /** Those with settings. */
  readonly policies: Draft[];
  /** Those of sites without settings of their own. */
  readonly plain: Draft[];
  hasCatchAll: boolean;
}

function settingsOf(policy: Draft): Draft {
  const { match: _match, ...settings } = policy;
  return settings;
}

function namesOf(policy: Draft): string[] | undefined {
  const match = policy.match as Draft | undefined;
  return match?.sni as string[] | undefined;
}

/** Adds the policies of a site. */
export function addSitePolicies(drafts: PolicyDrafts, served: ServedSite, options: GlobalOptions): void {
  let hosts = hostsOf(served);
  const results = resultsOf(served.site, "connectionPolicy");
  const isForced = resultsOf(served.site, "forceAutomate").length > 0;
  const forced = isForced ? hosts : [];
  const { defaultSni = "", fallbackSni = "" } = options;
  for (const result of results) {
    const policy = structuredClone(result.policy);
    const special = hosts.find((host) => host === defaultSni || host === fallbackSni);
    if (special !== undefined) {
      policy[special === defaultSni ? "default_sni" : "fallback_sni"] = special;
      hosts = [...hosts, ""];
    }
    if (hosts.length > 0) {
      hosts = [...hosts].sort();
      policy.match = { sni: hosts };
    } else {
      if (defaultSni !== "") {
        policy.default_sni = defaultSni;
      }
      if (fallbackSni !== "") {
        policy.fallback_sni = fallbackSni;
      }
    }
    if (!isEmptyDraft(settingsOf(policy)) || forced.some((host) => hosts.includes(host))) {
      drafts.policies.push(policy);
      drafts.hasCatchAll = hosts.length === 0;
    } else if (hosts.length > 0) {
      drafts.plain.push(policy);
    }
  }
  const specific = hosts.filter((host) => host !== "" && !host.includes("*")).sort();
  if (results.length === 0 && specific.length > 0) {
    drafts.plain.push({ match: { sni: specific } });
  }
}

/** Puts policies before those that ask clients of a wildcard for certificates, for the hosts that do not. */
function shieldHosts(policies: Draft[], plain: readonly Draft[]): void {
  const wildcards = policies.map((policy) =>
    policy.client_authentication === undefined
      ? []
      : (namesOf(policy) ?? []).filter((name) => name.includes("*")),
  );
  const shielded = policies.map((): string[] => []);
  for (const host of plain.flatMap((policy) => namesOf(policy) ?? [])) {
    const at = wildcards.findIndex((names) => names.some((name) => matchesWildcard(host, name)));
    if (at !== -1) {
      shielded[at]?.push(host);
    }
  }
  for (let index = policies.length - 1; index >= 0; index--) {
    const hosts = [...new Set(shielded[index])].sort();
    const policy = policies[index];
    if (hosts.length > 0 && policy !== undefined) {
      const { client_authentication: _clients, ...rest } = policy;
      policies.splice(index, 0, { ...rest, match: { sni: hosts } });
    }
  }
}

const mergeable: Readonly<Record<string, string>> = {
  alpn: "ALPN",
  cipher_suites: "cipher suites",
  client_authentication: "client auth configuration",
  curves: "curves",
  default_sni: "default SNI",
  fallback_sni: "fallback SNI",
  protocol_min: "min protocol",
  protocol_max: "max protocol",
};

function describe(value: DraftValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Adds what `from` says to a policy for the same connections. */
function mergeInto(policy: Draft, from: Draft): void {
  for (const [member, what] of Object.entries(mergeable)) {
    const [own, other] = [policy[member], from[member]];
    if (own !== undefined && other !== undefined && !sameJson(own, other)) {
      throw new ServerError(
        "CONFIG_ADAPTER",
        `two policies with same match criteria have conflicting ${what}: ${describe(own)} vs. ${describe(other)}`,
      );
    }
    if (own === undefined && other !== undefined) {
      policy[member] = other;
    }
  }
  const [own, other] = [policy.certificate_selection, from.certificate_selection] as (Draft | undefined)[];
  if (own === undefined && other !== undefined) {
    policy.certificate_selection = other;
  } else if (own !== undefined && other !== undefined) {
    const tags = (selection: Draft) => (selection.any_tag ?? []) as string[];
    policy.certificate_selection = { any_tag: [...new Set([...tags(own), ...tags(other)])] };
  }
}

/** The JSON of policies, written once for as long as nothing is merged into them. */
class PolicyTexts {
  readonly #texts = new Map<Draft, { readonly settings: string; readonly match: string }>();

  of(policy: Draft): { readonly settings: string; readonly match: string } {
    const known = this.#texts.get(policy);
    if (known !== undefined) {
      return known;
    }
    const texts = { settings: sortedJson(settingsOf(policy)), match: sortedJson(policy.match) };
    this.#texts.set(policy, texts);
    return texts;
  }

  changed(policy: Draft): void {
    this.#texts.delete(policy);
  }
}

/** Whether the second may go, merged into the first. */
function mergePair(first: Draft, second: Draft, areNeighbours: boolean, texts: PolicyTexts): boolean {
  const [own, other] = [texts.of(first), texts.of(second)];
  const haveSameSettings = own.settings === other.settings;
  const haveSameMatch = own.match === other.match;
  if (haveSameSettings && haveSameMatch) {
    return true;
  }
  const [names, otherNames] = [namesOf(first), namesOf(second)];
  if (areNeighbours && names !== undefined && otherNames !== undefined && haveSameSettings) {
    first.match = { sni: [...names, ...otherNames] };
    texts.changed(first);
    return true;
  }
  if (haveSameMatch) {
    mergeInto(first, second);
    texts.changed(first);
    return true;
  }
  return false;
}

/** Merges policies that say the same, or are for the same connections; the catch-all comes last. */
function consolidate(given: readonly Draft[]): Draft[] {
  const policies = [...given];
  const texts = new PolicyTexts();
  stableSort(policies, (a, b) => b.match === undefined && a.match !== undefined);
  for (let i = 0; i < policies.length; i++) {
    for (let j = 0; j < policies.length; j++) {
      const [first, second] = [policies[i], policies[j]];
      if (
        j !== i &&
        first !== undefined &&
        second !== undefined &&
        mergePair(first, second, i === j - 1, texts)
      ) {
        policies.splice(j, 1);
        i--;
        break;
      }
    }
  }
  return policies;
}

/**
 * The connection policies of a server.
 * @param needsCatchAll whether one for all other connections is added, if there are others
 */
export function finishPolicies(
  drafts: PolicyDrafts,
  needsCatchAll: (hasPolicies: boolean) => boolean,
  options: GlobalOptions,
): Draft[] {
  shieldHosts(drafts.policies, drafts.plain);
  if (!drafts.hasCatchAll && needsCatchAll(drafts.policies.length > 0)) {
    const { defaultSni, fallbackSni } = options;
    drafts.policies.push({
      ...(defaultSni !== undefined && defaultSni !== "" && { default_sni: defaultSni }),
      ...(fallbackSni !== undefined && fallbackSni !== "" && { fallback_sni: fallbackSni }),
    });
  }
  return consolidate(drafts.policies);
}

import { ServerError } from "server-core/errors";
import type { GlobalOptions } from "../sites/global-options.ts";
import { hostsOf, resultsOf, type ServedSite } from "../sites/site.ts";
import { type Draft, type DraftValue, isEmptyDraft, sameJson, sortedJson } from "../values/draft.ts";
import { stableSort } from "../values/stable-sort.ts";
import { TextNumbers } from "../values/text-numbers.ts";
import { matchesWildcard } from "./certificate-subjects.ts";

/** The connection policies of one server, while its sites are added. */
export interface PolicyDrafts {
  /** Policies with settings. */
  readonly policies: Draft[];
  /** Policies of sites that have no TLS settings. */
  readonly plain: Draft[];
  /** True when the last policy applies to connections with any name. */
  hasCatchAll: boolean;
}

/** A policy without its matcher. */
function settingsOf(policy: Draft): Draft {
  const { match: _match, ...settings } = policy;
  return settings;
}

/** Names that a policy applies to; undefined for all. */
function namesOf(policy: Draft): string[] | undefined {
  const match = policy.match as Draft | undefined;
  return match?.sni as string[] | undefined;
}

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

/** Adds separate policies for hosts that need no client certificate, before wildcard policies that request one. */
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

/** Settings that are merged when two policies apply to the same connections, with their names in error messages. */
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

/** Formats a setting for a message. */
function describe(value: DraftValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * Merges the settings of `from` into a policy for the same connections. @throws ServerError CONFIG_ADAPTER for
 * contradicting settings
 */
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

/** A policy whose JSON texts are replaced by numbers, because thousands of policies may be compared in pairs. */
class ComparedPolicy {
  readonly policy: Draft;
  readonly #numbers: TextNumbers;
  #settings = 0;
  #match = 0;

  constructor(policy: Draft, numbers: TextNumbers) {
    this.policy = policy;
    this.#numbers = numbers;
    this.#look();
  }

  /** Recomputes the numbers after a change of the policy. */
  #look(): void {
    this.#settings = this.#numbers.of(sortedJson(settingsOf(this.policy)));
    this.#match = this.#numbers.of(sortedJson(this.policy.match));
  }

  /**
   * Merges another policy into this policy if possible. @returns true when they were merged, so that the other policy
   * must be removed
   */
  merge(other: ComparedPolicy, isNeighbour: boolean): boolean {
    const haveSameMatch = this.#match === other.#match;
    if (!haveSameMatch && !isNeighbour) {
      return false;
    }
    const haveSameSettings = this.#settings === other.#settings;
    if (haveSameSettings && haveSameMatch) {
      return true;
    }
    const [names, otherNames] = [namesOf(this.policy), namesOf(other.policy)];
    if (isNeighbour && names !== undefined && otherNames !== undefined && haveSameSettings) {
      this.policy.match = { sni: [...names, ...otherNames] };
    } else if (haveSameMatch) {
      mergeInto(this.policy, other.policy);
    } else {
      return false;
    }
    this.#look();
    return true;
  }
}

/** Merges equal policies, and policies for the same connections. The policy for all names is last. */
function consolidate(given: readonly Draft[]): Draft[] {
  const sorted = [...given];
  stableSort(sorted, (a, b) => b.match === undefined && a.match !== undefined);
  const numbers = new TextNumbers();
  const policies = sorted.map((policy) => new ComparedPolicy(policy, numbers));
  for (let i = 0; i < policies.length; i++) {
    const first = policies[i];
    const merged = policies.findIndex((second, j) => j !== i && first?.merge(second, i === j - 1));
    if (merged !== -1) {
      policies.splice(merged, 1);
      i--;
    }
  }
  return policies.map(({ policy }) => policy);
}

/**
 * The connection policies of a server.
 * @param needsCatchAll returns true when a policy for all other connections is needed; gets true when there are other
 * policies
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

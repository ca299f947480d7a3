import { type Draft, type Given, onlyGiven, sameJson } from "../values/draft.ts";
import { stableSort } from "../values/stable-sort.ts";
import { isPublicSubject, isTailscaleName, matchesWildcard } from "./certificate-subjects.ts";

/** How the certificates of some names are had and kept. */
export interface AutomationPolicy {
  subjects: string[];
  /** Shared with other policies: what changes one changes all. */
  issuers: Draft[];
  /** Whether the internal issuer is there because the names ask for it, not because somebody said so. */
  isImplicitlyInternal: boolean;
  managers: Draft[];
  keyType: string;
  onDemand: boolean;
  reusePrivateKeys: boolean;
  renewalWindowRatio: number;
  disableOcspStapling: boolean;
}

export function emptyPolicy(): AutomationPolicy {
  return {
    subjects: [],
    issuers: [],
    isImplicitlyInternal: false,
    managers: [],
    keyType: "",
    onDemand: false,
    reusePrivateKeys: false,
    renewalWindowRatio: 0,
    disableOcspStapling: false,
  };
}

export function policyToJson(policy: AutomationPolicy): Draft {
  return onlyGiven({
    subjects: policy.subjects,
    issuers: policy.issuers,
    get_certificate: policy.managers,
    renewal_window_ratio: policy.renewalWindowRatio,
    key_type: policy.keyType,
    on_demand: policy.onDemand,
    reuse_private_keys: policy.reusePrivateKeys,
    disable_ocsp_stapling: policy.disableOcspStapling,
  });
}

/** What a policy says besides its names. */
function settings(policy: AutomationPolicy): Draft {
  return policyToJson({ ...policy, subjects: [] });
}

function saysNothing(policy: AutomationPolicy): boolean {
  return sameJson(settings(policy), {});
}

/** Whether every name of `a` is one of `b`; a policy without names is for all. */
function isSubset(a: AutomationPolicy, b: AutomationPolicy): boolean {
  if (b.subjects.length === 0) {
    return true;
  }
  return (
    a.subjects.length > 0 &&
    a.subjects.every((name) => b.subjects.some((pattern) => matchesWildcard(name, pattern)))
  );
}

/** The index of the first policy after `index` that is for all of its names too, or -1. */
function shadowOf(index: number, policies: readonly AutomationPolicy[]): number {
  const policy = policies[index];
  return policy === undefined ? -1 : policies.findIndex((other, at) => at > index && isSubset(policy, other));
}

/** Whether moving the names of `j` up to `i` would pass a policy for some of them. */
function passesAnother(i: number, j: number, policies: readonly AutomationPolicy[]): boolean {
  const names = policies[j]?.subjects ?? [];
  return policies
    .slice(i + 1, j)
    .some(({ subjects }) =>
      subjects.some((a) => names.some((b) => matchesWildcard(a, b) || matchesWildcard(b, a))),
    );
}

/** Which authority a policy without issuers gets its certificates from. */
function implicitIssuers({ subjects, onDemand }: AutomationPolicy): "any" | "mixed" | "public" | "internal" {
  const publicCount = subjects.filter((name) => isPublicSubject(name, onDemand)).length;
  if (subjects.length === 0) {
    return "any";
  }
  return publicCount === subjects.length ? "public" : publicCount === 0 ? "internal" : "mixed";
}

function usesPlainInternalIssuer(policy: AutomationPolicy): boolean {
  return policy.issuers.length === 0 ? implicitIssuers(policy) === "internal" : policy.isImplicitlyInternal;
}

function haveSameIssuers(a: AutomationPolicy, b: AutomationPolicy): boolean {
  if (!sameJson(a.issuers, b.issuers)) {
    return usesPlainInternalIssuer(a) && usesPlainInternalIssuer(b);
  }
  if (a.issuers.length > 0) {
    return true;
  }
  const [aKind, bKind] = [implicitIssuers(a), implicitIssuers(b)];
  return aKind === "any" || bKind === "any" || aKind === bKind;
}

function maySettle(a: AutomationPolicy, b: AutomationPolicy): boolean {
  const same = (member: (policy: AutomationPolicy) => Given) => member(a) === member(b);
  return (
    haveSameIssuers(a, b) &&
    sameJson(a.managers, b.managers) &&
    same(({ keyType }) => keyType) &&
    same(({ onDemand }) => onDemand) &&
    same(({ reusePrivateKeys }) => reusePrivateKeys) &&
    same(({ renewalWindowRatio }) => renewalWindowRatio)
  );
}

/** Drops policies that say nothing and stand in nobody's way. @returns whether all of them said nothing */
function dropEmpty(policies: AutomationPolicy[]): boolean {
  const count = policies.length;
  let emptyCount = 0;
  for (let index = 0; index < policies.length; index++) {
    const policy = policies[index];
    if (policy === undefined || !saysNothing(policy)) {
      continue;
    }
    emptyCount++;
    const shadow = policies[shadowOf(index, policies)];
    const shadowSaysNothing = shadow !== undefined && saysNothing({ ...shadow, managers: [] });
    if (index === policies.length - 1 || shadowSaysNothing) {
      policies.splice(index, 1);
      index--;
    }
  }
  return emptyCount === count;
}

/** Merges what can be merged. The most specific come first. */
export function consolidatePolicies(given: readonly AutomationPolicy[]): AutomationPolicy[] {
  const policies = [...given];
  stableSort(policies, (a, b) =>
    isSubset(a, b) ? true : isSubset(b, a) ? false : a.subjects.length > b.subjects.length,
  );
  if (dropEmpty(policies)) {
    return [];
  }
  outer: for (let i = 0; i < policies.length; i++) {
    for (let j = i + 1; j < policies.length; j++) {
      const [a, b] = [policies[i], policies[j]];
      if (a === undefined || b === undefined) {
        break;
      }
      if (sameJson(policyToJson(a), policyToJson(b))) {
        policies.splice(j, 1);
        i--;
        continue outer;
      }
      if (!maySettle(a, b)) {
        continue;
      }
      if (a.subjects.length > 0 && b.subjects.length === 0) {
        if (shadowOf(i, policies) >= j) {
          policies.splice(i, 1);
          i--;
          continue outer;
        }
      } else if (!passesAnother(i, j, policies)) {
        a.subjects = [...new Set([...a.subjects, ...b.subjects])];
        policies.splice(j, 1);
        j--;
      }
    }
  }
  return policies;
}

/** Whether a public authority is right for every name. */
export function hasPublicNamesOnly({ subjects, onDemand }: AutomationPolicy): boolean {
  return subjects.every((name) => isPublicSubject(name, onDemand) && !isTailscaleName(name));
}

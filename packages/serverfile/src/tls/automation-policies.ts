import { type Draft, isEmptyDraft, onlyGiven, sortedJson } from "../values/draft.ts";
import { stableSort } from "../values/stable-sort.ts";
import { TextNumbers } from "../values/text-numbers.ts";
import { isPublicSubject, isTailscaleName, matchesWildcard, patternsFor } from "./certificate-subjects.ts";

/** The way to obtain and manage the certificates of some names. */
export interface AutomationPolicy {
  /** Names that the policy applies to; empty: all names that no other policy lists. */
  subjects: string[];
  /** Issuers; other policies may share this list, so a change applies to them too. */
  issuers: Draft[];
  /** True when the internal issuer was chosen because of the names, not configured. */
  isImplicitlyInternal: boolean;
  /** Modules that are asked for a certificate during a handshake, before the server obtains one. */
  managers: Draft[];
  /** Type of private keys; "" for the server's default. */
  keyType: string;
  /** True: a certificate is obtained during the first handshake that needs it. */
  onDemand: boolean;
  /** True: a renewed certificate keeps the private key. */
  reusePrivateKeys: boolean;
  /**
   * A certificate is renewed when the rest of its lifetime is less than this fraction, 0 to 1; 0: the server's default.
   */
  renewalWindowRatio: number;
  /** True: handshakes carry no OCSP responses. */
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

/**
 * Maximum number of candidates that are checked one by one; with more candidates, checking all policies in order is
 * cheaper.
 */
const maxCandidates = 16;

/** Facts about a policy, cached for the comparison of all pairs. */
interface PolicyFacts {
  /** Names of the policy when this entry was made, because merging policies changes them. */
  readonly subjects: readonly string[];
  readonly issuers: string;
  readonly managers: string;
  readonly saysNothing: boolean;
  /** Undefined until it is first needed. */
  implicitIssuers: ReturnType<typeof implicitIssuersOf> | undefined;
}

/** Caches facts while policies are consolidated, because issuers do not change meanwhile. */
class PolicyComparison {
  readonly #facts = new Map<AutomationPolicy, PolicyFacts>();
  readonly #byPattern = new Map<string, Set<AutomationPolicy>>();
  readonly #forAll = new Set<AutomationPolicy>();

  constructor(policies: readonly AutomationPolicy[]) {
    for (const policy of policies) {
      this.#index(policy);
    }
  }

  #index(policy: AutomationPolicy, subjects: readonly string[] = policy.subjects): void {
    if (policy.subjects.length === 0) {
      this.#forAll.add(policy);
    }
    for (const subject of subjects) {
      const pattern = subject.toLowerCase();
      const known = this.#byPattern.get(pattern);
      if (known === undefined) {
        this.#byPattern.set(pattern, new Set([policy]));
      } else {
        known.add(policy);
      }
    }
  }

  of(policy: AutomationPolicy): PolicyFacts {
    const known = this.#facts.get(policy);
    if (known?.subjects === policy.subjects) {
      return known;
    }
    const facts: PolicyFacts = {
      subjects: policy.subjects,
      issuers: known?.issuers ?? sortedJson(policy.issuers),
      managers: known?.managers ?? sortedJson(policy.managers),
      saysNothing: known?.saysNothing ?? isEmptyDraft(policyToJson({ ...policy, subjects: [] })),
      implicitIssuers: undefined,
    };
    this.#facts.set(policy, facts);
    return facts;
  }

  #implicitIssuers(policy: AutomationPolicy): ReturnType<typeof implicitIssuersOf> {
    const facts = this.of(policy);
    facts.implicitIssuers ??= implicitIssuersOf(policy);
    return facts.implicitIssuers;
  }

  merge(into: AutomationPolicy, from: AutomationPolicy): void {
    into.subjects = [...new Set([...into.subjects, ...from.subjects])];
    this.#index(into, from.subjects);
  }

  /**
   * Index of the first later policy that covers all names of this policy, which may be an identical policy; -1 without
   * such a policy.
   */
  shadowOf(index: number, policies: readonly AutomationPolicy[]): number {
    const policy = policies[index];
    if (policy === undefined) {
      return -1;
    }
    const candidates = new Set(this.#forAll);
    for (const pattern of policy.subjects.slice(0, 1).flatMap(patternsFor)) {
      for (const other of this.#byPattern.get(pattern) ?? []) {
        candidates.add(other);
      }
    }
    if (candidates.size > maxCandidates) {
      return policies.findIndex((other, at) => at > index && isSubset(policy, other));
    }
    let first = -1;
    for (const other of candidates) {
      if (isSubset(policy, other)) {
        const at = policies.indexOf(other, index + 1);
        first = at !== -1 && (first === -1 || at < first) ? at : first;
      }
    }
    return first;
  }

  haveSameIssuers(a: AutomationPolicy, b: AutomationPolicy): boolean {
    const [first, second] = [this.of(a), this.of(b)];
    if (first.issuers !== second.issuers) {
      return this.#usesPlainInternalIssuer(a) && this.#usesPlainInternalIssuer(b);
    }
    if (a.issuers.length > 0) {
      return true;
    }
    const [aKind, bKind] = [this.#implicitIssuers(a), this.#implicitIssuers(b)];
    return aKind === "any" || bKind === "any" || aKind === bKind;
  }

  #usesPlainInternalIssuer(policy: AutomationPolicy): boolean {
    return policy.issuers.length === 0
      ? this.#implicitIssuers(policy) === "internal"
      : policy.isImplicitlyInternal;
  }

  /**
   * True when the policies can be merged: their key types, managers and renewal settings are equal, and their issuers
   * do not differ.
   */
  maySettle(a: AutomationPolicy, b: AutomationPolicy): boolean {
    return (
      a.keyType === b.keyType &&
      a.onDemand === b.onDemand &&
      a.reusePrivateKeys === b.reusePrivateKeys &&
      a.renewalWindowRatio === b.renewalWindowRatio &&
      this.of(a).managers === this.of(b).managers &&
      this.haveSameIssuers(a, b)
    );
  }

  /** True when both policies have the same JSON. */
  areEqual(a: AutomationPolicy, b: AutomationPolicy): boolean {
    return (
      a.subjects.length === b.subjects.length &&
      a.subjects.every((name, index) => name === b.subjects[index]) &&
      this.of(a).issuers === this.of(b).issuers &&
      sortedJson(policyToJson(a)) === sortedJson(policyToJson(b))
    );
  }
}

/** Maximum number of patterns that are compared one by one; a longer list is searched with a set. */
const fewPatterns = 8;

/**
 * Cache of lower-case patterns, by the list that contains them. Lists are replaced, never changed, while policies are
 * compared.
 */
const patternSets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** True when a pattern matches the name. */
function covers(patterns: readonly string[], name: string): boolean {
  if (patterns.length <= fewPatterns) {
    return patterns.some((pattern) => matchesWildcard(name, pattern));
  }
  let set = patternSets.get(patterns);
  if (set === undefined) {
    set = new Set(patterns.map((pattern) => pattern.toLowerCase()));
    patternSets.set(patterns, set);
  }
  const known = set;
  return patternsFor(name).some((pattern) => known.has(pattern));
}

/** True when `b` contains every name of `a`. A policy without names applies to all names. */
function isSubset(a: AutomationPolicy, b: AutomationPolicy): boolean {
  if (b.subjects.length === 0) {
    return true;
  }
  return a.subjects.length > 0 && a.subjects.every((name) => covers(b.subjects, name));
}

/**
 * True when moving the names of policy `j` to policy `i` would place them before a policy that shares a name with them.
 */
function passesAnother(i: number, j: number, policies: readonly AutomationPolicy[]): boolean {
  const names = policies[j]?.subjects ?? [];
  return policies
    .slice(i + 1, j)
    .some(
      ({ subjects }) =>
        subjects.some((name) => covers(names, name)) || names.some((name) => covers(subjects, name)),
    );
}

/** The kind of CA that a policy without issuers uses, by its names. */
function implicitIssuersOf({
  subjects,
  onDemand,
}: AutomationPolicy): "any" | "mixed" | "public" | "internal" {
  const publicCount = subjects.filter((name) => isPublicSubject(name, onDemand)).length;
  if (subjects.length === 0) {
    return "any";
  }
  return publicCount === subjects.length ? "public" : publicCount === 0 ? "internal" : "mixed";
}

/**
 * Removes empty policies, unless removing one would give its names to another policy. @returns true when all policies
 * were empty
 */
function dropEmpty(policies: AutomationPolicy[], comparison: PolicyComparison): boolean {
  const count = policies.length;
  let emptyCount = 0;
  for (let index = 0; index < policies.length; index++) {
    const policy = policies[index];
    if (policy === undefined || !comparison.of(policy).saysNothing) {
      continue;
    }
    emptyCount++;
    const shadow = policies[comparison.shadowOf(index, policies)];
    const shadowSaysNothing =
      shadow !== undefined && isEmptyDraft(policyToJson({ ...shadow, subjects: [], managers: [] }));
    if (index === policies.length - 1 || shadowSaysNothing) {
      policies.splice(index, 1);
      index--;
    }
  }
  return emptyCount === count;
}

/** Merges policies where possible. The most specific policies come first. */
export function consolidatePolicies(given: readonly AutomationPolicy[]): AutomationPolicy[] {
  const policies = [...given];
  stableSort(policies, (a, b) =>
    isSubset(a, b) ? true : isSubset(b, a) ? false : a.subjects.length > b.subjects.length,
  );
  const comparison = new PolicyComparison(policies);
  if (dropEmpty(policies, comparison)) {
    return [];
  }
  const texts = new TextNumbers();
  // Policies are compared in pairs only if their issuers are equal, because there may be thousands of policies.
  const issuers = policies.map((policy) =>
    policy.issuers.length === 0 || policy.isImplicitlyInternal ? 0 : texts.of(comparison.of(policy).issuers),
  );
  const remove = (index: number) => {
    policies.splice(index, 1);
    issuers.splice(index, 1);
  };
  outer: for (let i = 0; i < policies.length; i++) {
    for (let j = i + 1; j < policies.length; j++) {
      if (issuers[i] !== issuers[j] && issuers[i] !== 0 && issuers[j] !== 0) {
        continue;
      }
      const [a, b] = [policies[i], policies[j]];
      if (a === undefined || b === undefined) {
        break;
      }
      if (comparison.areEqual(a, b)) {
        remove(j);
        i--;
        continue outer;
      }
      if (!comparison.maySettle(a, b)) {
        continue;
      }
      if (a.subjects.length > 0 && b.subjects.length === 0) {
        if (comparison.shadowOf(i, policies) >= j) {
          remove(i);
          i--;
          continue outer;
        }
      } else if (!passesAnother(i, j, policies)) {
        comparison.merge(a, b);
        remove(j);
        j--;
      }
    }
  }
  return policies;
}

/** True when a public CA can issue certificates for every name. */
export function hasPublicNamesOnly({ subjects, onDemand }: AutomationPolicy): boolean {
  return subjects.every((name) => isPublicSubject(name, onDemand) && !isTailscaleName(name));
}

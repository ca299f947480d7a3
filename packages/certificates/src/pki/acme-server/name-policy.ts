import { BlockList, isIP } from "node:net";
import type { IssuancePolicy, NameRules } from "./acme-messages.ts";

/**
 * True when a name matches a rule. A rule is a name, or `*.` and a name, which matches names exactly one label below
 * that name. Source: Caddy
 */
function domainFits(rule: string, name: string): boolean {
  const wanted = rule.toLowerCase().split(".");
  const given = name.split(".");
  return (
    wanted.length === given.length &&
    wanted.every((label, at) => label === given[at] || (at === 0 && label === "*"))
  );
}

/** @throws TypeError, RangeError for a text that is neither address nor network */
function rangesOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) {
      list.addAddress(address, family);
    } else {
      list.addSubnet(address, Number(bits), family);
    }
  }
  return list;
}

/** True for an IP address, and for a network in CIDR form. */
export function isIpRange(text: string): boolean {
  try {
    rangesOf([text]);
    return true;
  } catch {
    return false;
  }
}

/** True for rules without domains and without ranges. */
function isEmpty(rules: NameRules): boolean {
  return rules.domains.length === 0 && rules.ipRanges.length === 0;
}

/** True when a policy has any rule. A policy without rules allows every name, including wildcards. */
export function hasRules({ allow, deny, allowWildcardNames }: IssuancePolicy): boolean {
  return !isEmpty(allow) || !isEmpty(deny) || allowWildcardNames;
}

/**
 * The reason why a policy refuses a name; undefined for an allowed name. A denied name is always refused. When the
 * policy lists allowed names, all other names are refused. When the policy has any rule, wildcard names need
 * `allowWildcardNames`. Source: Caddy 2.11
 * @param name lower case, or an IP address
 */
export function policyFault(policy: IssuancePolicy, name: string): string | undefined {
  if (!hasRules(policy)) {
    return undefined;
  }
  const { allow, deny } = policy;
  const version = isIP(name);
  if (version === 0 && name.startsWith("*.") && !policy.allowWildcardNames) {
    return `${name}: wildcard names are not allowed`;
  }
  const fits = (rules: NameRules) =>
    version === 0
      ? rules.domains.some((rule) => domainFits(rule, name))
      : rangesOf(rules.ipRanges).check(name, version === 6 ? "ipv6" : "ipv4");
  if (fits(deny)) {
    return `${name}: denied by policy`;
  }
  return isEmpty(allow) || fits(allow) ? undefined : `${name}: not allowed by policy`;
}

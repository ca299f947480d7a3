import { describe, expect, test } from "vitest";
import type { NameRules } from "./acme-messages.ts";
import { isIpRange, policyFault } from "./name-policy.ts";

const rules = (...texts: string[]): NameRules => ({
  domains: texts.filter((text) => !isIpRange(text)),
  ipRanges: texts.filter(isIpRange),
});

const fault = (allow: string[], deny: string[], name: string, allowWildcardNames = false) =>
  policyFault({ allow: rules(...allow), deny: rules(...deny), allowWildcardNames }, name) ?? "";

describe("a policy", () => {
  test.each<[string[], string[], string, string]>([
    [[], [], "a.example", ""],
    [[], [], "*.example", ""],
    [["a.example"], [], "a.example", ""],
    [["A.example"], [], "a.example", ""],
    [["a.example"], [], "b.example", "not allowed by policy"],
    [["*.example"], [], "a.example", ""],
    [["*.example"], [], "example", "not allowed by policy"],
    [["*.example"], [], "a.b.example", "not allowed by policy"],
    [["a.example"], [], "192.0.2.1", "not allowed by policy"],
    [["192.0.2.0/24"], [], "192.0.2.1", ""],
    [["192.0.2.0/24"], [], "198.51.100.1", "not allowed by policy"],
    [["192.0.2.0/24"], [], "a.example", "not allowed by policy"],
    [["2001:db8::/32"], [], "2001:db8::1", ""],
    [[], ["a.example"], "a.example", "denied by policy"],
    [[], ["a.example"], "b.example", ""],
    [["*.example"], ["a.example"], "a.example", "denied by policy"],
    [[], ["192.0.2.1"], "192.0.2.1", "denied by policy"],
    [["*.example"], [], "*.example", "wildcard names are not allowed"],
  ])("that allows %j and denies %j, for %s: %s", (allow, deny, name, expected) => {
    expect(fault(allow, deny, name)).toBe(expected && `${name}: ${expected}`);
  });

  test("lets wildcards in where it says so, under the same rules", () => {
    expect(fault(["*.example"], [], "*.example", true)).toBe("");
    expect(fault(["*.example"], [], "*.other", true)).toBe("*.other: not allowed by policy");
  });
});

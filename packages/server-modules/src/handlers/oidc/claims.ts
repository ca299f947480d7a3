import type { JsonValue } from "server-core/json/json-value";
import { isJsonObject, member } from "server-core/json/json-value";

/** A provider's claims about a user. */
export type Claims = Readonly<Record<string, JsonValue>>;

/**
 * Claims that concern the token itself, not the user. Source: OpenID Connect Core 1.0, section 2; RFC 7519, section 4.1
 */
const protocolClaims = new Set([
  "iss",
  "aud",
  "azp",
  "exp",
  "nbf",
  "iat",
  "jti",
  "nonce",
  "at_hash",
  "c_hash",
  "s_hash",
]);

/** Selects the claims to keep in the session. @param wanted names of claims; undefined keeps all */
export function keptClaims(all: Claims, wanted: readonly string[] | null | undefined): Claims {
  return Object.fromEntries(
    Object.entries(all).filter(([name]) =>
      wanted ? name === "sub" || wanted.includes(name) : !protocolClaims.has(name),
    ),
  );
}

/**
 * Finds a claim by its name or its path: `realm_access.roles` of `{ "realm_access": { "roles": ["a"] } }` is `["a"]`. A
 * claim whose own name contains the dots takes precedence over a path.
 */
export function claimOf(claims: Claims, name: string): JsonValue | undefined {
  if (Object.hasOwn(claims, name)) {
    return claims[name];
  }
  let value: JsonValue | undefined = claims as JsonValue;
  for (const part of name.split(".")) {
    value = isJsonObject(value) ? member(value, part) : undefined;
  }
  return value;
}

/** A claim as text: lists joined with commas, objects as JSON; "" when absent. */
export function claimText(claims: Claims, name: string): string {
  const value = claimOf(claims, name);
  if (value === undefined || value === null) {
    return "";
  }
  if (Array.isArray(value)) {
    return value.map((each) => (typeof each === "object" ? JSON.stringify(each) : String(each))).join(",");
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** True when a text matches a pattern in which `*` stands for any text. Runs in linear time. */
function fits(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (parts.length === 1) {
    return pattern === text;
  }
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) {
    return false;
  }
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found === -1) {
      return false;
    }
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

/** A requirement on the claims of a user. */
export interface ClaimRule {
  /** Name of the claim; dots select members of objects. */
  readonly claim: string;
  /** Allowed values; the claim must contain at least one of them. */
  readonly values: readonly string[];
}

/**
 * Returns the first rule that the user does not meet; undefined when all rules are met. An unverified email address
 * counts as absent. `{ "claim": "groups", "values": ["staff-*"] }` is met by `{ "groups": ["x", "staff-7"] }`.
 */
export function unmetRule(claims: Claims, rules: readonly ClaimRule[]): ClaimRule | undefined {
  return rules.find(({ claim, values }) => {
    if (claim === "email" && claims.email_verified === false) {
      return true;
    }
    const value = claimOf(claims, claim);
    const all = Array.isArray(value) ? value : [value];
    return !all.some(
      (each) =>
        each !== undefined &&
        each !== null &&
        typeof each !== "object" &&
        values.some((pattern) => fits(pattern, String(each))),
    );
  });
}

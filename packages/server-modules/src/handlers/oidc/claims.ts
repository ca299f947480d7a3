import type { JsonValue } from "server-core/json/json-value";
import { isJsonObject, member } from "server-core/json/json-value";

/** A provider's claims about a user. */
export type Claims = Readonly<Record<string, JsonValue>>;

/**
 * Claims about the token itself instead of the user. Source: OpenID Connect Core 1.0, section 2; RFC 7519,
 * section 4.1
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

/** The claims that a session keeps. @param wanted all when undefined */
export function keptClaims(all: Claims, wanted: readonly string[] | null | undefined): Claims {
  return Object.fromEntries(
    Object.entries(all).filter(([name]) =>
      wanted ? name === "sub" || wanted.includes(name) : !protocolClaims.has(name),
    ),
  );
}

/**
 * A claim by its name, or by the way to it: `realm_access.roles`. `realm_access.roles` of
 * `{ "realm_access": { "roles": ["a"] } }` is `["a"]`. A claim whose name has dots itself goes first.
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

/** A claim as text: lists with commas, objects as JSON; "" when it is not there. */
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

/** Whether a text matches a pattern in which `*` is any text, in linear time. */
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

/** One thing that must hold of a user. */
export interface ClaimRule {
  /** Name of the claim; dots lead into objects. */
  readonly claim: string;
  /** Values of which one must be there. */
  readonly values: readonly string[];
}

/**
 * Says which rule a user does not meet; undefined when all hold. An address that the provider did not verify
 * counts for nothing. `{ "claim": "groups", "values": ["staff-*"] }` holds for
 * `{ "groups": ["x", "staff-7"] }`.
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

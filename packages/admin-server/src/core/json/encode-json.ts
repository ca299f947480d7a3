import { ServerError } from "../errors.ts";
import type { JsonValue } from "./json-value.ts";

/** How deep a document may be nested. Far over any real config, far under what the call stack takes. */
export const maxJsonDepth = 1_000;

const escapedInStrings = /[<>&\u2028\u2029]/g;
const hasSurrogate = /[\ud800-\udfff]/;

function encodeString(text: string): string {
  const quoted = JSON.stringify(text.isWellFormed() ? text : text.toWellFormed());
  return quoted.replace(escapedInStrings, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Orders keys by their UTF-8 bytes. UTF-16 gives the same order, unless a surrogate meets U+E000 and above. */
function compareKeys(a: string, b: string): number {
  if (hasSurrogate.test(a) || hasSurrogate.test(b)) {
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  return a < b ? -1 : 1;
}

function encode(value: JsonValue, depth: number): string {
  if (typeof value === "string") {
    return encodeString(value);
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value)) {
      throw new ServerError("CONFIG_SYNTAX", "a number is out of the range of an IEEE double");
    }
    return Object.is(value, -0) ? "-0" : String(value);
  }
  if (typeof value !== "object" || value === null) {
    return String(value);
  }
  if (depth >= maxJsonDepth) {
    throw new ServerError("CONFIG_SYNTAX", `nested deeper than the limit of ${maxJsonDepth} levels`);
  }
  if (Array.isArray(value)) {
    return `[${(value as readonly JsonValue[]).map((element) => encode(element, depth + 1)).join(",")}]`;
  }
  const members = Object.entries(value).sort(([a], [b]) => compareKeys(a, b));
  return `{${members.map(([key, child]) => `${encodeString(key)}:${encode(child, depth + 1)}`).join(",")}}`;
}

/**
 * Writes a document in the one form that is hashed, compared, answered and saved: compact, keys sorted by bytes,
 * `<`, `>`, `&`, U+2028 and U+2029 escaped as `\uXXXX`, lone surrogates as U+FFFD; no final newline.
 * @throws ServerError CONFIG_SYNTAX past {@link maxJsonDepth}, or for a number that is no IEEE double
 * Source: the public model (Caddy 2.11), seen running
 */
export function encodeJson(value: JsonValue): string {
  return encode(value, 0);
}

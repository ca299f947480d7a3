import { ServerError } from "../errors.ts";
import { findJsonFault } from "./json-fault.ts";
import { checkJsonLimits } from "./json-limits.ts";
import type { JsonValue } from "./json-value.ts";

/** A document with the text from which it was parsed. */
export interface ParsedJson {
  readonly value: JsonValue;
  readonly text: string;
}

/**
 * A pattern for numbers that may be beyond the largest double. A text without a match has no infinite number, so its
 * values are not searched.
 */
const perhapsInfinite = /[eE]\+?0*[1-9]\d\d|\d{309}/;

function hasInfinity(value: JsonValue): boolean {
  if (typeof value === "object" && value !== null) {
    return Object.values(value).some(hasInfinity);
  }
  return typeof value === "number" && !Number.isFinite(value);
}

/** Like {@link parseJson}. */
export function parseJsonText(bytes: Uint8Array): ParsedJson {
  checkJsonLimits(bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  try {
    const value = JSON.parse(text) as JsonValue;
    if (perhapsInfinite.test(text) && hasInfinity(value)) {
      throw new ServerError("CONFIG_SYNTAX", "a number is out of the range of an IEEE double");
    }
    return { value, text };
  } catch (error) {
    if (error instanceof ServerError) {
      throw error;
    }
    const fault = findJsonFault(bytes);
    const reason =
      fault === undefined ? (error as Error).message : `${fault.reason}, at offset ${fault.offset}`;
    throw new ServerError("CONFIG_SYNTAX", reason, { cause: error });
  }
}

/**
 * Parses a JSON document. Invalid UTF-8 becomes U+FFFD, and the last of equal keys counts.
 * @param bytes the caller must have checked their size
 * @throws ServerError CONFIG_SYNTAX with the reason and the offset in bytes; also past the limits of `json-limits.ts`
 */
export function parseJson(bytes: Uint8Array): JsonValue {
  return parseJsonText(bytes).value;
}

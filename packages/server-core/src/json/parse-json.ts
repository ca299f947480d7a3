import { ServerError } from "../errors.ts";
import { findJsonFault } from "./json-fault.ts";
import { checkJsonLimits } from "./json-limits.ts";
import type { JsonValue } from "./json-value.ts";

/** A document with the text that it was read from. */
export interface ParsedJson {
  readonly value: JsonValue;
  readonly text: string;
}

/** As {@link parseJson}. */
export function parseJsonText(bytes: Uint8Array): ParsedJson {
  checkJsonLimits(bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  try {
    return { value: JSON.parse(text) as JsonValue, text };
  } catch (error) {
    const fault = findJsonFault(bytes);
    const reason =
      fault === undefined ? (error as Error).message : `${fault.reason}, at offset ${fault.offset}`;
    throw new ServerError("CONFIG_SYNTAX", reason, { cause: error });
  }
}

/**
 * Reads a JSON document. Invalid UTF-8 becomes U+FFFD, of equal keys the last one counts.
 * @param bytes the caller has held them to its size limit
 * @throws ServerError CONFIG_SYNTAX with the reason and the offset in bytes; also past the limits of `json-limits.ts`
 */
export function parseJson(bytes: Uint8Array): JsonValue {
  return parseJsonText(bytes).value;
}

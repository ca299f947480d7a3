import { ServerError } from "../errors.ts";
import { findJsonFault } from "./json-fault.ts";
import { checkJsonLimits } from "./json-limits.ts";
import type { JsonValue } from "./json-value.ts";

/**
 * Reads a JSON document. Invalid UTF-8 becomes U+FFFD, of equal keys the last one counts.
 * @param bytes the caller has held them to its size limit
 * @throws ServerError CONFIG_SYNTAX with the reason and the offset in bytes; also past the limits of `json-limits.ts`
 */
export function parseJson(bytes: Uint8Array): JsonValue {
  checkJsonLimits(bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    const fault = findJsonFault(bytes);
    const reason =
      fault === undefined ? (error as Error).message : `${fault.reason}, at offset ${fault.offset}`;
    throw new ServerError("CONFIG_SYNTAX", reason, { cause: error });
  }
}

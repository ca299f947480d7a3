import { errorWithin, ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { parseJson } from "server-core/json/parse-json";
import { applyJsonPatch, parseJsonPatch } from "server-core/tree/json-patch";
import { applyMergePatch } from "server-core/tree/merge-patch";

/** Media types of a PATCH that changes parts of a value; any other PATCH replaces the whole value. */
export const patchTypes = ["application/json-patch+json", "application/merge-patch+json"] as const;
export type PatchType = (typeof patchTypes)[number];

/** The patch type of a `Content-Type`, without its parameters; undefined for any other type. */
export function patchTypeOf(contentType: string): PatchType | undefined {
  const mediaType = contentType.split(";", 1)[0]?.trim().toLowerCase();
  return patchTypes.find((type) => type === mediaType);
}

/**
 * Reads a patch before its change runs. The patch is applied to the value at the time when the change runs. This way
 * two clients cannot overwrite each other's changes, and a patch whose `test` fails changes nothing.
 * @returns function from the current value to the new one; throws ServerError PATCH_CONFLICT
 * @throws ServerError CONFIG_SYNTAX, PATCH_MALFORMED
 */
export function readPatch(type: PatchType, body: Uint8Array): (current: JsonValue) => JsonValue {
  if (body.length === 0) {
    throw new ServerError("PATCH_MALFORMED", "the patch is empty");
  }
  let patch: JsonValue;
  try {
    patch = parseJson(body);
  } catch (error) {
    throw errorWithin("decoding request body", error);
  }
  if (type === "application/merge-patch+json") {
    return (current) => applyMergePatch(current, patch);
  }
  const operations = parseJsonPatch(patch);
  return (current) => applyJsonPatch(current, operations);
}

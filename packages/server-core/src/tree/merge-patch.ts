import { isJsonObject, type JsonValue, member } from "../json/json-value.ts";

/**
 * The document after a merge patch. Members of the patch replace members of the document, null removes them, and
 * objects are merged member by member.
 */
export function applyMergePatch(target: JsonValue, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) {
    return patch;
  }
  const members = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      members.delete(key);
    } else {
      const existing = isJsonObject(target) ? (member(target, key) ?? null) : null;
      members.set(key, applyMergePatch(existing, value));
    }
  }
  return Object.fromEntries(members);
}

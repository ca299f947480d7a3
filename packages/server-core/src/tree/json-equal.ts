import { isJsonArray, isJsonObject, type JsonValue, member } from "../json/json-value.ts";

/** True when two documents have equal content; the order of keys does not count. Source: RFC 6902 section 4.6 */
export function jsonEqual(a: JsonValue, b: JsonValue): boolean {
  if (a === b) {
    return true;
  }
  if (isJsonArray(a)) {
    return (
      isJsonArray(b) &&
      a.length === b.length &&
      a.every((element, index) => jsonEqual(element, b[index] ?? null))
    );
  }
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => {
        const other = member(b, key);
        return other !== undefined && jsonEqual(a[key] ?? null, other);
      })
    );
  }
  return false;
}

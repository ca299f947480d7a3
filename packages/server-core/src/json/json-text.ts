import type { JsonValue } from "./json-value.ts";

/** A value as it stands in a text: a text as it is, null empty, lists and objects as JSON. */
export function jsonText(value: JsonValue): string {
  if (typeof value === "string") {
    return value;
  }
  return value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
}

import type { JsonValue } from "./json-value.ts";

/** A value inside of a text: a text unchanged, null empty, lists and objects as JSON. */
export function jsonText(value: JsonValue): string {
  if (typeof value === "string") {
    return value;
  }
  return value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
}

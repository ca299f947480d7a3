import type { JsonValue } from "./json-value.ts";

/** Writes a value into a text: a text stays unchanged, null becomes "", lists and objects become JSON. */
export function jsonText(value: JsonValue): string {
  if (typeof value === "string") {
    return value;
  }
  return value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
}

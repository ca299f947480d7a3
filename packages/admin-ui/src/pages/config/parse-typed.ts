import type { JsonValue } from "../../api/json-value.ts";
import type { PlaceSchema } from "../../config/schema.ts";

const numberText = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * The value of a text that a user types into a field. When the schema allows texts and numbers, as for
 * durations, the old value decides.
 */
export function parseTyped(text: string, { types }: PlaceSchema, before: JsonValue): JsonValue {
  const takesNumber = types.has("number") || types.has("integer");
  const takesText = types.has("string");
  const isNumber = numberText.test(text.trim());
  if (takesNumber && isNumber && (!takesText || typeof before === "number")) {
    return Number(text);
  }
  if (types.has("boolean") && !takesText && /^(true|false)$/.test(text.trim())) {
    return text.trim() === "true";
  }
  if (types.size === 0 && isNumber && typeof before === "number") {
    return Number(text);
  }
  return text;
}

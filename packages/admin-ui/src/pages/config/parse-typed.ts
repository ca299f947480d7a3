import type { JsonValue } from "../../api/json-value.ts";
import type { PlaceSchema } from "../../config/schema.ts";

/** Matches a number in JSON; `01` and `+1` stay texts. */
const numberText = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Converts the text of a field to a value. Example: `5` becomes the number 5 where only numbers are allowed, and the
 * text `"5"` where only texts are. If the schema allows both, as for durations, the type of the old value decides.
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

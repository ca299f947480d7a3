import type { JsonObject, JsonValue } from "../api/json-value.ts";
import type { PlaceSchema, SchemaReader } from "./schema.ts";

/**
 * The initial value of a new entry: the smallest value that the schema allows. The first choice if there are choices,
 * else an object with its required fields, `[]`, `""`, the minimum number, or true.
 */
export function firstValue(reader: SchemaReader, place: PlaceSchema): JsonValue {
  if (place.choices.length > 0) {
    return place.choices[0] ?? "";
  }
  for (const type of ["object", "array", "string", "integer", "number", "boolean"]) {
    if (!place.types.has(type)) {
      continue;
    }
    switch (type) {
      case "object":
        return firstObject(reader, place);
      case "array":
        return [];
      case "string":
        return "";
      case "boolean":
        return true;
      default:
        return Math.max(place.minimum ?? 0, 0);
    }
  }
  return "";
}

/** Creates an object with the required fields. Required objects in it stay empty. */
function firstObject(reader: SchemaReader, place: PlaceSchema): JsonObject {
  const object: JsonObject = {};
  for (const name of place.required) {
    const field = place.fields.get(name);
    // One level suffices: deeper required fields are requested when the user opens that place.
    const inner = field === undefined ? undefined : reader.place(field, undefined);
    if (inner === undefined) {
      continue;
    }
    object[name] = inner.types.has("object") ? {} : firstValue(reader, inner);
  }
  return object;
}

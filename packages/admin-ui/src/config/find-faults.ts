import { isObject, type JsonValue, kindOf } from "../api/json-value.ts";
import { below } from "./json-pointer.ts";
import { isOfType, type JsonSchema, type PlaceSchema, type SchemaReader } from "./schema.ts";

/** A value in a draft that violates the server's schema. */
export interface SchemaFault {
  /** Pointer to the faulty value, or to the missing field. */
  path: string;
  /** The fault as the end of a sentence that begins with the name: `must be 1 or more`, `is missing`. */
  message: string;
}

/** Maximum number of faults that are listed. A wrong type high in the tree could cause thousands. */
const maxFaults = 100;

/** The fault of a value without its members; undefined for a valid value. The server reads `null` as "not set". */
export function valueFault(place: PlaceSchema, value: JsonValue): string | undefined {
  if (value === null) {
    return undefined;
  }
  if (place.choices.length > 0 && !isObject(value) && !place.choices.includes(value)) {
    return `must be one of: ${place.choices.slice(0, 12).map(String).join(", ")}`;
  }
  const { types, minimum, maximum } = place;
  if (types.size > 0 && ![...types].some((type) => isOfType(value, type))) {
    return `must be ${[...types].map(typeName).join(" or ")}, and is ${kindName(value)}`;
  }
  if (typeof value === "number" && minimum !== undefined && value < minimum) {
    return `must be ${minimum} or more`;
  }
  if (typeof value === "number" && maximum !== undefined && value > maximum) {
    return `must be ${maximum} or less`;
  }
  return undefined;
}

/**
 * All schema faults of a draft, in document order. Members of a faulty value are not checked. The server checks more
 * than the schema does, so an empty list does not guarantee success. Cost: one visit per value.
 */
export function findFaults(reader: SchemaReader, document: JsonValue, schema: JsonSchema): SchemaFault[] {
  const faults: SchemaFault[] = [];
  function look(value: JsonValue, own: JsonSchema, path: string): void {
    if (faults.length >= maxFaults) {
      return;
    }
    const place = reader.place(own, value);
    const message = valueFault(place, value);
    if (message !== undefined) {
      faults.push({ path, message });
      return;
    }
    const members = Array.isArray(value) ? value.entries() : isObject(value) ? Object.entries(value) : [];
    for (const [key, member] of members) {
      const child = reader.below(place, String(key));
      const at = below(path, key);
      if (child !== undefined) {
        look(member, child, at);
      } else if (place.otherFields === false) {
        faults.push({ path: at, message: "is no field of this object" });
      }
    }
    if (!isObject(value)) {
      return;
    }
    for (const name of place.required) {
      if (!Object.hasOwn(value, name)) {
        faults.push({ path: below(path, name), message: "is missing" });
      }
    }
  }
  look(document, schema, "");
  return faults.slice(0, maxFaults);
}

/** The name of a JSON Schema type for people. */
export function typeName(type: string): string {
  const names: Record<string, string> = {
    string: "a text",
    number: "a number",
    integer: "a whole number",
    boolean: "true or false",
    array: "a list",
    object: "an object",
  };
  return names[type] ?? type;
}

/** The kind of an existing value, for the second half of a message: `must be a number, and is a text`. */
function kindName(value: JsonValue): string {
  const names = {
    text: "a text",
    number: "a number",
    switch: "true or false",
    list: "a list",
    object: "an object",
    null: "nothing",
  };
  return names[kindOf(value)];
}

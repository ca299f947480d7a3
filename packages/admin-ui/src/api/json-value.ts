import * as z from "zod/mini";

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

/** Results of `JSON.parse` are valid JSON values, so they are not checked again. */
export const jsonValue = z.custom<JsonValue>((value) => value !== undefined);

/** True for an object; false for a list. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The kind of a value in a word for people; true and false are a `switch`. */
export function kindOf(value: JsonValue): "object" | "list" | "text" | "number" | "switch" | "null" {
  if (value === null) {
    return "null";
  }
  if (Array.isArray(value)) {
    return "list";
  }
  switch (typeof value) {
    case "string":
      return "text";
    case "number":
      return "number";
    case "boolean":
      return "switch";
    default:
      return "object";
  }
}

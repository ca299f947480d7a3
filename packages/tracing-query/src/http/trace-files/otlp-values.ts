import { isObject } from "./json-shape.ts";

/** Limit of a value's nesting: more than the decoder keeps, so that the decoder reports the cut. */
const maxValueLevels = 200;

/** The text itself; "" for any other value. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Converts a JSON value to an OTLP value. */
export function anyValue(value: unknown, levels = maxValueLevels): unknown {
  if (levels === 0) {
    return { stringValue: "" };
  }
  if (Array.isArray(value)) {
    return { arrayValue: { values: value.map((own) => anyValue(own, levels - 1)) } };
  }
  if (isObject(value)) {
    const values = Object.entries(value).map(([key, own]) => ({ key, value: anyValue(own, levels - 1) }));
    return { kvlistValue: { values } };
  }
  switch (typeof value) {
    case "boolean":
      return { boolValue: value };
    case "number":
      return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
    default:
      return { stringValue: value === null || value === undefined ? "" : String(value) };
  }
}

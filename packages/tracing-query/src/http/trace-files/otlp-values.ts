import { isObject } from "./json-shape.ts";

/** Levels of a value that are kept: more than the decoder keeps, which then says that it cut the value. */
const maxValueLevels = 200;

/** The text itself; "" for any other value. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** OTLP's value of a JSON value. */
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

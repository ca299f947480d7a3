import { ServerError } from "../errors.ts";
import { maxJsonDepth } from "../json/encode-json.ts";
import { maxJsonValues } from "../json/json-limits.ts";
import type { JsonValue } from "../json/json-value.ts";

function convert(value: unknown, depth: number, budget: { left: number }): JsonValue {
  budget.left--;
  if (budget.left < 0) {
    throw new ServerError("CONFIG_ADAPTER", `more values than the limit of ${maxJsonValues}`);
  }
  if (depth > maxJsonDepth) {
    throw new ServerError("CONFIG_ADAPTER", `nested deeper than the limit of ${maxJsonDepth} levels`);
  }
  if (value === null || typeof value === "string" || typeof value === "boolean") {
    return value;
  }
  if (typeof value === "number" && Number.isFinite(value)) {
    return value;
  }
  if (value instanceof Date) {
    return value.toISOString();
  }
  if (Array.isArray(value)) {
    return value.map((element) => convert(element, depth + 1, budget));
  }
  if (typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [key, convert(child, depth + 1, budget)]),
    );
  }
  throw new ServerError("CONFIG_ADAPTER", `${String(value)} cannot be said in JSON`);
}

/**
 * Converts another format's values to JSON. Dates become RFC 3339 texts. Infinity, NaN and numbers beyond the largest
 * double are refused. A part that several aliases share is copied for each alias, and each copy counts against the
 * limit of values.
 * @throws ServerError CONFIG_ADAPTER, also past the limits of a document
 */
export function toJsonValue(value: unknown): JsonValue {
  return convert(value, 0, { left: maxJsonValues });
}

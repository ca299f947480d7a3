import type { z } from "zod";
import { isJsonArray, isJsonObject, type JsonValue } from "../json/json-value.ts";

/** Value of a `null` element, by the element type of the list. Source: Caddy 2.11 */
const zeros: Readonly<Record<string, () => JsonValue>> = {
  object: () => ({}),
  record: () => ({}),
  array: () => [],
  string: () => "",
  number: () => 0,
  int: () => 0,
  boolean: () => false,
};

function replaced(value: JsonValue, path: readonly PropertyKey[], zero: JsonValue): JsonValue | undefined {
  const [key, ...rest] = path;
  if (key === undefined) {
    return value === null ? zero : undefined;
  }
  if (isJsonArray(value) && typeof key === "number") {
    const child = replaced(value[key] ?? null, rest, zero);
    return child === undefined ? undefined : value.with(key, child);
  }
  if (isJsonObject(value) && typeof key === "string") {
    const child = replaced(value[key] ?? null, rest, zero);
    return child === undefined ? undefined : { ...value, [key]: child };
  }
  return undefined;
}

/**
 * Replaces each null element of a list by the zero value of its type.
 * @param error faults that the schema found in `value`
 * @returns a copy; undefined when there is no null element
 */
export function withZeroElements(error: z.ZodError, value: JsonValue): JsonValue | undefined {
  let filled: JsonValue | undefined;
  for (const issue of error.issues) {
    const zero = issue.code === "invalid_type" ? zeros[issue.expected] : undefined;
    if (zero !== undefined && typeof issue.path.at(-1) === "number") {
      filled = replaced(filled ?? value, issue.path, zero()) ?? filled;
    }
  }
  return filled;
}

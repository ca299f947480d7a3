import { TemplateError } from "./template-error.ts";

/** True for values that count as true in `if`: all except nil, false, 0 and empty values. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) {
    return value.length > 0;
  }
  if (value instanceof Map) {
    return value.size > 0;
  }
  if (typeof value === "object" && value !== null) {
    return Object.getPrototypeOf(value) !== Object.prototype || Object.keys(value).length > 0;
  }
  return Boolean(value);
}

/** A value as a template prints it. */
export function printed(value: unknown): string {
  if (value === null || value === undefined) {
    return "";
  }
  if (typeof value === "string") {
    return value;
  }
  if (Array.isArray(value)) {
    return `[${value.map(printed).join(" ")}]`;
  }
  if (value instanceof Date) {
    return value.toISOString();
  }
  if (value instanceof Map) {
    const parts = [...value].map(([key, each]) => [printed(key), printed(each)] as const);
    const sorted = parts.sort(([a], [b]) => (a < b ? -1 : 1)); // as Go does
    return `map[${sorted.map(([key, each]) => `${key}:${each}`).join(" ")}]`;
  }
  if (typeof value === "object") {
    const text = (value as { toText?: () => string }).toText;
    return text === undefined
      ? `map[${Object.entries(value)
          .map(([key, each]) => `${key}:${printed(each)}`)
          .join(" ")}]`
      : text.call(value);
  }
  return String(value);
}

/** A member of a map or list. Only what a value itself has: nothing that its class brings along. */
export function memberOf(value: unknown, key: unknown): unknown {
  if (value === null || value === undefined) {
    return null;
  }
  if (value instanceof Map) {
    return value.get(key) ?? null;
  }
  if (Array.isArray(value)) {
    const index = Number(key);
    if (!Number.isInteger(index) || index < 0 || index >= value.length) {
      throw new TemplateError(`index ${printed(key)} out of range of ${value.length}`);
    }
    return value[index];
  }
  if (typeof value === "object" && Object.hasOwn(value, String(key))) {
    return (value as Record<string, unknown>)[String(key)];
  }
  return null;
}

import { GoDuration, MapWithMethods, NamedNumber, TemplateStruct } from "./go-types.ts";
import { TemplateError } from "./template-error.ts";
import { timeMembers, timeText } from "./time-members.ts";

/** True for values that count as true in `if`: all except nil, false, 0 and empty values. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) {
    return value.length > 0;
  }
  if (value instanceof Map) {
    return value.size > 0;
  }
  if (value instanceof GoDuration || value instanceof NamedNumber) {
    return value.valueOf() !== 0;
  }
  if (typeof value === "object" && value !== null) {
    return Object.getPrototypeOf(value) !== Object.prototype || Object.keys(value).length > 0;
  }
  return Boolean(value);
}

/** A number as Go prints it: with an exponent below 0.0001 and from 1e+21 on. Source: Go, package fmt, `%v` */
function numberText(value: number): string {
  if (Number.isFinite(value)) {
    const size = Math.abs(value);
    const text = value !== 0 && (size < 1e-4 || size >= 1e21) ? value.toExponential() : String(value);
    return text.replace(/e([+-])(\d)$/, "e$10$2");
  }
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

/** A value within another one, where nil is named. */
function inner(value: unknown): string {
  return value === null || value === undefined ? "<nil>" : printed(value);
}

function mapText(entries: Iterable<readonly [unknown, unknown]>): string {
  const parts = [...entries].map(([key, each]) => [printed(key), inner(each)] as const);
  const sorted = parts.sort(([a], [b]) => (a < b ? -1 : 1)); // as Go does
  return `map[${sorted.map(([key, each]) => `${key}:${each}`).join(" ")}]`;
}

function objectText(value: object): string {
  if (Array.isArray(value)) {
    return `[${value.map(inner).join(" ")}]`;
  }
  if (value instanceof Date) {
    return timeText(value);
  }
  if (value instanceof GoDuration || value instanceof NamedNumber) {
    return value.toString();
  }
  if (value instanceof TemplateStruct) {
    return value.toText() ?? `{${value.fields.map(([, each]) => inner(each)).join(" ")}}`;
  }
  return mapText(value instanceof Map ? value : Object.entries(value));
}

/** A value as a template prints it; nil prints nothing. */
export function printed(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return numberText(value);
    case "object":
      return value === null ? "" : objectText(value);
    default:
      return value === undefined ? "" : String(value);
  }
}

function listMember(list: readonly unknown[], key: unknown): unknown {
  const index = Number(key);
  if (!Number.isInteger(index) || index < 0 || index >= list.length) {
    throw new TemplateError(`index ${printed(key)} out of range of ${list.length}`);
  }
  return list[index];
}

/** A member by its name; nil for a name that the value does not have, as for an absent key of a map. */
function ownMember(members: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : null;
}

/**
 * A member of a map, list, struct or time. Only what a value itself has: nothing that its class brings along.
 * @throws TemplateError for an index that a list does not have
 */
export function memberOf(value: unknown, key: unknown): unknown {
  if (value === null || value === undefined) {
    return null;
  }
  if (value instanceof MapWithMethods && Object.hasOwn(value.methods, String(key))) {
    return value.methods[String(key)];
  }
  if (value instanceof Map) {
    return value.get(key) ?? null;
  }
  if (Array.isArray(value)) {
    return listMember(value, key);
  }
  if (value instanceof TemplateStruct) {
    return ownMember(value.members, String(key));
  }
  if (value instanceof Date) {
    return ownMember(timeMembers(value), String(key));
  }
  if (value instanceof GoDuration) {
    return ownMember(value.members, String(key));
  }
  if (typeof value === "object" && Object.hasOwn(value, String(key))) {
    return (value as Record<string, unknown>)[String(key)];
  }
  return null;
}

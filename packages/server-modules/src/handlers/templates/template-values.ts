import { GoDuration, MapWithMethods, NamedNumber, TemplateStruct } from "./go-types.ts";
import { TemplateError } from "./template-error.ts";
import { timeMembers, timeText } from "./time-members.ts";
import { typeName } from "./type-name.ts";

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

/** A value inside another value: nil is `<nil>`. */
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

/** Writes a value as an action prints it. */
export function actionOutput(value: unknown): string {
  return value === null || value === undefined ? "<no value>" : printed(value);
}

/** The text of a value for functions that take a text: nil becomes "". */
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

/** Names that a struct, time or duration has. Undefined for values of other types. */
function membersOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (value instanceof TemplateStruct || value instanceof GoDuration) {
    return value.members;
  }
  return value instanceof Date ? timeMembers(value) : undefined;
}

function isMap(value: unknown): value is object {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  const prototype = Object.getPrototypeOf(value);
  return value instanceof Map || prototype === Object.prototype || prototype === null;
}

/**
 * A member of a map, list, struct or time. Members that a value inherits from its JavaScript class are not visible. A
 * missing key of a map is nil.
 * @throws TemplateError for an index outside a list
 */
export function memberOf(value: unknown, key: unknown): unknown {
  if (value instanceof MapWithMethods && Object.hasOwn(value.methods, String(key))) {
    return value.methods[String(key)];
  }
  if (value instanceof Map) {
    return value.get(key) ?? (value instanceof MapWithMethods ? [] : null);
  }
  if (Array.isArray(value)) {
    return listMember(value, key);
  }
  const members = membersOf(value) ?? (isMap(value) ? (value as Record<string, unknown>) : {});
  return Object.hasOwn(members, String(key)) ? members[String(key)] : null;
}

/**
 * The field, method or entry of a map that `.Name` names. A missing key of a map is nil.
 * @throws TemplateError for a missing field of any other value, and for any name of nil
 * Source: Go, package text/template
 */
export function fieldOf(value: unknown, name: string): unknown {
  if (value === null || value === undefined) {
    throw new TemplateError(`nil pointer evaluating interface {}.${name}`);
  }
  const members = membersOf(value);
  const known = members === undefined ? isMap(value) : Object.hasOwn(members, name);
  if (!known) {
    throw new TemplateError(`can't evaluate field ${name} in type ${typeName(value)}`);
  }
  return memberOf(value, name);
}

import { textOfBuffer } from "server-core/uri/text-of-bytes";
import type { TemplateFunction } from "./evaluate-template.ts";
import { formatPrintf } from "./go-printf.ts";
import { GoDuration, NamedNumber, TemplateStruct } from "./go-types.ts";
import { TemplateError } from "./template-error.ts";
import { actionOutput, isTrue, memberOf, printed } from "./template-values.ts";
import { typeName } from "./type-name.ts";

/** Months and durations compare as numbers, times by their instant. */
function comparable(value: unknown): unknown {
  return value instanceof NamedNumber || value instanceof GoDuration || value instanceof Date
    ? Number(value)
    : value;
}

/** Compares two values: numbers as numbers, everything else as text. */
function compare(first: unknown, second: unknown): number {
  const [a, b] = [comparable(first), comparable(second)];
  if (typeof a === "number" && typeof b === "number") {
    return a - b;
  }
  const [left, right] = [printed(a), printed(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Compares for equality. Values of different types are never equal. */
function equal(a: unknown, b: unknown): boolean {
  return typeof comparable(a) === typeof comparable(b) && compare(a, b) === 0;
}

/** Length in bytes of a text, or number of entries of a list or map. @throws TemplateError for other values */
function lengthOf(value: unknown): number {
  if (typeof value === "string") {
    return Buffer.byteLength(value);
  }
  if (Array.isArray(value)) {
    return value.length;
  }
  if (value instanceof Map) {
    return value.size;
  }
  if (
    typeof value === "object" &&
    value !== null &&
    !(value instanceof TemplateStruct || value instanceof Date)
  ) {
    return Object.keys(value).length;
  }
  throw new TemplateError(`len of type ${typeName(value)}`);
}

/** @throws TemplateError for an entry of nil */
function indexed(value: unknown, key: unknown): unknown {
  if (value === null || value === undefined) {
    throw new TemplateError("index of untyped nil");
  }
  return memberOf(value, key);
}

/**
 * Part of a list, or of a text in bytes. As in sprig, the part of an empty list is nil.
 * @throws TemplateError for an index outside the value, and for a value that is neither a list nor a text
 */
function slice(value: unknown, from: unknown = 0, to?: unknown): unknown {
  if (typeof value !== "string" && !Array.isArray(value)) {
    throw new TemplateError(`slice of type ${typeName(value)}`);
  }
  const all = typeof value === "string" ? Buffer.from(value) : value;
  if (Array.isArray(all) && all.length === 0) {
    return null;
  }
  const [start, end] = [Number(from), to === undefined ? all.length : Number(to)];
  if (!(start >= 0 && start <= end && end <= all.length)) {
    throw new TemplateError(`slice from ${printed(from)} to ${printed(to)} of ${all.length}`);
  }
  const part = all.slice(start, end);
  return Buffer.isBuffer(part) ? textOfBuffer(part) : part;
}

/** Joins values. A blank separates two values if neither is a text. Source: Go, package fmt, `Sprint` */
function printAll(values: readonly unknown[]): string {
  return values
    .map((value, index) => {
      const apart = index > 0 && typeof value !== "string" && typeof values[index - 1] !== "string";
      return `${apart ? " " : ""}${shown(value)}`;
    })
    .join("");
}

/** Values as an action prints them, without anything between them. */
function actionText(values: readonly unknown[]): string {
  return values.map(actionOutput).join("");
}

/** A value as `print` writes it: nil is `<nil>`. */
function shown(value: unknown): string {
  return value === null || value === undefined ? "<nil>" : printed(value);
}

/** Escapes HTML characters in a text. Source: Go, `template.HTMLEscapeString` */
export function escapeHtml(text: string): string {
  const escapes: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&#34;",
    "'": "&#39;",
    "\0": "\ufffd",
  };
  return text.replace(/[&<>"'\0]/g, (character) => escapes[character] ?? character);
}

/** Functions that Go's templates define. `and` and `or` are part of the evaluation. */
export const basicFunctions: Readonly<Record<string, TemplateFunction>> = {
  not: (value: unknown) => !isTrue(value),
  eq: (first: unknown, ...others: unknown[]) => others.some((each) => equal(first, each)),
  ne: (a: unknown, b: unknown) => !equal(a, b),
  lt: (a: unknown, b: unknown) => compare(a, b) < 0,
  le: (a: unknown, b: unknown) => compare(a, b) <= 0,
  gt: (a: unknown, b: unknown) => compare(a, b) > 0,
  ge: (a: unknown, b: unknown) => compare(a, b) >= 0,
  len: lengthOf,
  index: (value: unknown, ...keys: unknown[]) => keys.reduce(indexed, value),
  slice,
  mustSlice: slice,
  print: (...values: unknown[]) => printAll(values),
  println: (...values: unknown[]) => `${values.map(shown).join(" ")}\n`,
  printf: (format: string, ...values: unknown[]) => formatPrintf(format, values),
  html: (...values: unknown[]) => escapeHtml(actionText(values)),
  js: (...values: unknown[]) =>
    JSON.stringify(actionText(values))
      .slice(1, -1)
      .replaceAll("'", "\\'")
      .replace(/[<>&=]/g, (character) => `\\u00${character.charCodeAt(0).toString(16).toUpperCase()}`),
  urlquery: (...values: unknown[]) => encodeURIComponent(actionText(values)).replaceAll("%20", "+"),
  call: (called: unknown, ...args: unknown[]) => {
    if (typeof called !== "function") {
      throw new TemplateError("call of what is no function");
    }
    return (called as (...all: unknown[]) => unknown)(...args);
  },
};

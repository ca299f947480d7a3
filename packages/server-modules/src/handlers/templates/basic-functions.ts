import type { TemplateFunction } from "./evaluate-template.ts";
import { TemplateError } from "./template-error.ts";
import { isTrue, memberOf, printed } from "./template-values.ts";

/** Order of two values: numbers as numbers, all else as text. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") {
    return a - b;
  }
  const [left, right] = [printed(a), printed(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Values of different types are never equal. */
function equal(a: unknown, b: unknown): boolean {
  return typeof a === typeof b && compare(a, b) === 0;
}

/** Bytes of a text, entries of a list or map. @throws TemplateError for others */
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
  if (typeof value === "object" && value !== null) {
    return Object.keys(value).length;
  }
  throw new TemplateError(`len of ${printed(value)}`);
}

/** `%s`, `%d`, `%v`, `%q`, `%x`, `%t`, `%f` with width and precision. Source: Go, package fmt */
export function formatPrintf(format: string, values: readonly unknown[]): string {
  let next = 0;
  return format.replace(
    /%([-+0 #]*)(\d*)(?:\.(\d+))?([a-zA-Z%])/g,
    (_whole, ...groups: (string | undefined)[]) => {
      const [flags = "", width, precision, verb = ""] = groups;
      if (verb === "%") {
        return "%";
      }
      const value = values[next++];
      const text = formatVerb(verb, value, precision);
      const size = Math.min(1000, Number(width || 0));
      if (flags.includes("-")) {
        return text.padEnd(size);
      }
      return text.padStart(size, flags.includes("0") ? "0" : " ");
    },
  );
}

/** One value in the form that a verb asks for. */
function formatVerb(verb: string, value: unknown, precision: string | undefined): string {
  switch (verb) {
    case "q":
      return JSON.stringify(printed(value));
    case "d":
      return String(Math.trunc(Number(value)));
    case "f":
    case "g":
    case "e":
      return Number(value).toFixed(Math.min(100, Number(precision ?? (verb === "f" ? 6 : 0)) || 0));
    case "x":
      return typeof value === "number"
        ? Math.trunc(value).toString(16)
        : Buffer.from(printed(value)).toString("hex");
    default:
      return precision === undefined ? printed(value) : printed(value).slice(0, Number(precision));
  }
}

/** A text with the characters that mean something in HTML escaped. Source: Go, `template.HTMLEscapeString` */
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

/** Functions that Go's templates have by themselves. `and` and `or` are part of the evaluation. */
export const basicFunctions: Readonly<Record<string, TemplateFunction>> = {
  not: (value: unknown) => !isTrue(value),
  eq: (first: unknown, ...others: unknown[]) => others.some((each) => equal(first, each)),
  ne: (a: unknown, b: unknown) => !equal(a, b),
  lt: (a: unknown, b: unknown) => compare(a, b) < 0,
  le: (a: unknown, b: unknown) => compare(a, b) <= 0,
  gt: (a: unknown, b: unknown) => compare(a, b) > 0,
  ge: (a: unknown, b: unknown) => compare(a, b) >= 0,
  len: lengthOf,
  index: (value: unknown, ...keys: unknown[]) => keys.reduce(memberOf, value),
  slice: (value: unknown, from = 0, to?: number) =>
    typeof value === "string" || Array.isArray(value) ? value.slice(from, to) : null,
  print: (...values: unknown[]) => values.map(printed).join(""),
  println: (...values: unknown[]) => `${values.map(printed).join(" ")}\n`,
  printf: (format: string, ...values: unknown[]) => formatPrintf(format, values),
  html: (...values: unknown[]) => escapeHtml(values.map(printed).join("")),
  js: (...values: unknown[]) =>
    JSON.stringify(values.map(printed).join(""))
      .slice(1, -1)
      .replaceAll("'", "\\'")
      .replace(/[<>&=]/g, (character) => `\\u00${character.charCodeAt(0).toString(16).toUpperCase()}`),
  urlquery: (...values: unknown[]) => encodeURIComponent(values.map(printed).join("")).replaceAll("%20", "+"),
  call: (called: unknown, ...args: unknown[]) => {
    if (typeof called !== "function") {
      throw new TemplateError("call of what is no function");
    }
    return (called as (...all: unknown[]) => unknown)(...args);
  },
};

import { trimBlanks } from "http-protocols/http1/field-lines";
import { KnownRegexps } from "server-core/regexp/known-regexps";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import { z } from "zod";
import type { Exchange } from "./exchange.ts";
import { type HeaderList, headerBytes, headerText, removeHeaders, setHeader } from "./header-list.ts";
import { compileHeaderPart, compileHeaderTemplate } from "./placeholders.ts";

/** Values by field; null counts as no value. */
const valuesSchema = z.record(z.string(), z.array(z.string()).nullable());

/** One replacement in values; it contains either a text or an expression. */
const replacementSchema = z
  .strictObject({
    search: z.string().nullish().describe("Text to look for; placeholders allowed."),
    search_regexp: z
      .string()
      .nullish()
      .describe("Regular expression in RE2 syntax to look for; placeholders allowed."),
    replace: z
      .string()
      .nullish()
      .describe("Text in its place; placeholders, and groups as `$1` or `$name`, allowed."),
  })
  .refine((each) => !(each.search && each.search_regexp), {
    error: "cannot specify both a substring search and a regular expression search",
  });

/** A replacement in the form of the config. */
type ReplacementConfig = z.infer<typeof replacementSchema>;

/** Options that add, set, delete and replace header fields. Source: Caddy 2.11, handler headers */
export const headerOperationsShape = {
  add: valuesSchema.nullish().describe("Values to add; placeholders allowed."),
  set: valuesSchema.nullish().describe("Values in place of any there are; placeholders allowed."),
  delete: z.array(z.string()).nullish().describe("Fields to delete; `X-*`, `*-X` and `*` allowed."),
  replace: z
    .record(z.string(), z.array(replacementSchema).nullable())
    .nullish()
    .describe("Texts to replace in values, by field; `*` is every field."),
};

/**
 * Changes to the fields of a message. They are applied in the order `add`, `set`, `delete`, `replace`; only the
 * deletion of all fields, `*`, comes first.
 */
export interface HeaderOperationsConfig {
  /** Values to add after the existing values of the field. */
  readonly add?: Readonly<Record<string, readonly string[] | null>> | null | undefined;
  /** Values that replace all existing values of the field. */
  readonly set?: Readonly<Record<string, readonly string[] | null>> | null | undefined;
  /** Names of fields to remove; `*` at an end of a name matches any text. */
  readonly delete?: readonly string[] | null | undefined;
  /** Replacements within values, in the order of the list. */
  readonly replace?: Readonly<Record<string, readonly ReplacementConfig[] | null>> | null | undefined;
}

/**
 * True when a field's name matches; `*` at one end or at both ends of the pattern matches any text. Source: Caddy 2.11
 */
function compileNamePattern(text: string): (lowerName: string) => boolean {
  const pattern = text.toLowerCase();
  if (pattern.startsWith("*") && pattern.endsWith("*")) {
    return (name) => name.includes(pattern.slice(1, -1));
  }
  if (pattern.startsWith("*")) {
    return (name) => name.endsWith(pattern.slice(1));
  }
  if (pattern.endsWith("*")) {
    return (name) => name.startsWith(pattern.slice(0, -1));
  }
  return (name) => name === pattern;
}

const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Invalid fields, such as a field without a name, are left out, as in Caddy. */
function compileValues(config: HeaderOperationsConfig["add"]) {
  const entries = Object.entries(config ?? {}).filter(([name]) => fieldName.test(name));
  return entries.map(([name, values]) => ({
    name,
    values: (values ?? []).map(compileHeaderTemplate),
  }));
}

/** Returns the value after the replacement. */
type Replace = (value: string, exchange: Exchange) => string;

/**
 * Compiles the expression to search for. An expression with placeholders is compiled per request, and cached for equal
 * texts.
 * @throws ServerError MODULE_CONFIG
 */
function compileSearch(text: string): (exchange: Exchange) => LinearRegexp {
  const pattern = compileHeaderPart(text);
  if (!/\{[a-z][\w.-]*\}/i.test(text)) {
    const fixed = new LinearRegexp(text);
    return () => fixed;
  }
  const known = new KnownRegexps();
  return (exchange) => known.compile(headerText(pattern(exchange)));
}

/** @throws ServerError MODULE_CONFIG for an invalid expression */
function compileReplacement(config: ReplacementConfig): Replace {
  const replace = compileHeaderPart(config.replace ?? "");
  if (config.search_regexp) {
    const search = compileSearch(config.search_regexp);
    // A regular expression matches characters, so the bytes of the value are decoded first.
    return (value, exchange) =>
      headerBytes(search(exchange).replaceAll(headerText(value), headerText(replace(exchange))));
  }
  const search = compileHeaderPart(config.search ?? "");
  return (value, exchange) => {
    const found = search(exchange);
    return found === "" ? value : value.split(found).join(replace(exchange));
  };
}

/** Prepares header operations. @throws ServerError MODULE_CONFIG for an invalid regular expression */
export function compileHeaderOperations(
  config: HeaderOperationsConfig,
): (headers: HeaderList, exchange: Exchange) => void {
  const add = compileValues(config.add);
  const set = compileValues(config.set);
  const deleted = config.delete ?? [];
  const deletes = deleted.filter((text) => text !== "*").map(compileNamePattern);
  const replaces = Object.entries(config.replace ?? {}).map(([name, each]) => ({
    name: name.toLowerCase(),
    replacements: (each ?? []).map(compileReplacement),
  }));
  return (headers, exchange) => {
    if (deleted.includes("*")) {
      headers.length = 0;
    }
    for (const { name, values } of add) {
      for (const value of values) {
        headers.push(name, value(exchange));
      }
    }
    for (const { name, values } of set) {
      const [first, ...others] = values;
      if (first !== undefined) {
        setHeader(headers, name, first(exchange));
      }
      for (const value of others) {
        headers.push(name, value(exchange));
      }
    }
    if (deletes.length > 0) {
      removeHeaders(headers, (name) => deletes.some((matches) => matches(name)));
    }
    for (const { name, replacements } of replaces) {
      for (let index = 0; index < headers.length; index += 2) {
        if (name === "*" || headers[index]?.toLowerCase() === name) {
          const before = headers[index + 1] ?? "";
          const changed = replacements.reduce((value, replace) => replace(value, exchange), before);
          headers[index + 1] = trimBlanks(changed);
        }
      }
    }
  };
}

import type { JsonValue } from "server-core/json/json-value";

/** A constant argument of a matcher function: a text (placeholders as `{name}`), a list of texts, or a map. */
export type MatcherArgument = string | readonly string[] | { readonly [key: string]: JsonValue };

/** Builds the config of a matcher from arguments; undefined when the arguments do not fit. */
type Make = (args: readonly MatcherArgument[], name: string) => JsonValue | undefined;

/** The arguments, if all are texts and there is at least one; otherwise undefined. */
const texts = (args: readonly MatcherArgument[]): string[] | undefined => {
  const all = args.filter((arg) => typeof arg === "string");
  return all.length === args.length && all.length > 0 ? all : undefined;
};

/** `path("/a", "/b")`: a list of texts. */
const list: Make = (args) => texts(args);

/** `client_ip("10.0.0.0/8")`: an object with `ranges`. */
const ranges: Make = (args) => {
  const found = texts(args);
  return found === undefined ? undefined : { ranges: found };
};

/** A map whose values are texts or lists of texts. */
const listsByName: Make = ([map]) => {
  if (map === undefined || typeof map === "string" || Array.isArray(map)) {
    return undefined;
  }
  return Object.fromEntries(
    Object.entries(map).map(([key, value]) => [key, Array.isArray(value) ? value : [value]]),
  );
};

/** `(pattern)` or `(name, pattern)`. */
const regexp: Make = (args, matcherName) => {
  const found = texts(args);
  if (found === undefined || found.length > 2) {
    return undefined;
  }
  const [first = "", second] = found;
  return second === undefined
    ? { name: matcherName, pattern: first }
    : { name: first || matcherName, pattern: second };
};

/** `(field, pattern)` or `(name, field, pattern)`. */
const regexpByField: Make = (args, matcherName) => {
  const found = texts(args);
  if (found === undefined || found.length < 2 || found.length > 3) {
    return undefined;
  }
  const [name, field, pattern] = found.length === 2 ? ["", ...found] : found;
  return { [field ?? ""]: { name: name || matcherName, pattern: pattern ?? "" } };
};

/** `protocol("https")` takes exactly one text. */
const protocol: Make = (args) => {
  const [name] = texts(args) ?? [];
  return args.length === 1 ? name : undefined;
};

/** `file()`, `file("/a", "/b")` or `file({"root": "/srv"})`. */
const file: Make = (args) => {
  const [first] = args;
  if (args.length === 0) {
    return {};
  }
  if (args.length === 1 && first !== undefined && typeof first !== "string" && !Array.isArray(first)) {
    return { ...first };
  }
  const found = texts(args);
  return found === undefined ? undefined : { try_files: found };
};

/** `url_pattern("/a/:id")` takes a text, and optionally a base URL as a second text. */
const urlPattern: Make = (args) => {
  const found = texts(args);
  if (found === undefined || found.length > 2) {
    return undefined;
  }
  const [pattern = "", base] = found;
  return base === undefined ? { pattern } : { pattern, base_url: base };
};

/** `tls()` takes no arguments. */
const tls: Make = (args) => (args.length === 0 ? {} : undefined);

/**
 * Matchers that expressions may call. Matchers of user modules cannot be called, because their argument types are
 * unknown.
 */
const makers: Readonly<Record<string, Make>> = {
  host: list,
  path: list,
  method: list,
  path_regexp: regexp,
  header: listsByName,
  header_regexp: regexpByField,
  query: listsByName,
  protocol,
  remote_ip: ranges,
  client_ip: ranges,
  vars: listsByName,
  vars_regexp: regexpByField,
  file,
  url_pattern: urlPattern,
  tls,
};

/** True when a matcher function has this name. */
export function isMatcherFunction(name: string): boolean {
  return Object.hasOwn(makers, name);
}

/**
 * The matcher config of a call: `path("/a", "/b")` becomes the matcher `path` with `["/a", "/b"]`.
 * @param matcherName default name of captures
 * @returns undefined when the arguments do not fit
 * Source: Caddy 2.11, CEL libraries of its matchers
 */
export function matcherConfig(
  name: string,
  args: readonly MatcherArgument[],
  matcherName: string,
): JsonValue | undefined {
  return makers[name]?.(args, matcherName);
}

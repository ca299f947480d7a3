import type { JsonValue } from "server-core/json/json-value";

/** A constant argument of a matcher's function: a text (placeholders as `{name}`), a list of them, or a map. */
export type MatcherArgument = string | readonly string[] | { readonly [key: string]: JsonValue };

type Make = (args: readonly MatcherArgument[], name: string) => JsonValue | undefined;

const texts = (args: readonly MatcherArgument[]): string[] | undefined => {
  const all = args.filter((arg) => typeof arg === "string");
  return all.length === args.length && all.length > 0 ? all : undefined;
};

const list: Make = (args) => texts(args);

const ranges: Make = (args) => {
  const found = texts(args);
  return found === undefined ? undefined : { ranges: found };
};

/** A map whose values are a text or a list of them. */
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

const protocol: Make = (args) => {
  const [name] = texts(args) ?? [];
  return args.length === 1 ? name : undefined;
};

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

const urlPattern: Make = (args) => {
  const found = texts(args);
  if (found === undefined || found.length > 2) {
    return undefined;
  }
  const [pattern = "", base] = found;
  return base === undefined ? { pattern } : { pattern, base_url: base };
};

const tls: Make = (args) => (args.length === 0 ? {} : undefined);

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

/** Whether a function of this name is a matcher. */
export function isMatcherFunction(name: string): boolean {
  return Object.hasOwn(makers, name);
}

/**
 * The config of the matcher that a call stands for: `path("/a", "/b")` is the matcher `path` with `["/a", "/b"]`.
 * @param matcherName name of captures where the call gives none
 * @returns undefined when the arguments do not fit
 * Source: the public model (Caddy 2.11), CEL libraries of its matchers
 */
export function matcherConfig(
  name: string,
  args: readonly MatcherArgument[],
  matcherName: string,
): JsonValue | undefined {
  return makers[name]?.(args, matcherName);
}

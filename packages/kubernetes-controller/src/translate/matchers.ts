// Matchers of the server for the matches of Ingress and the Gateway API.
//
// The server's own `path` ignores case, and `host` with a wildcard takes exactly one label. Paths in Kubernetes are
// case-sensitive, and wildcards of the Gateway API take one or more labels, so these matchers use regular expressions.

import { LinearRegexp } from "server-core/regexp/linear-regexp";
import type { TextMatch } from "../cluster/gateway-object.ts";
import type { Json } from "./snapshot.ts";

/** A text that a regular expression takes literally. */
export function quoted(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** A text in which the server finds no placeholder. */
export function literal(text: string): string {
  return text.replaceAll("{", "\\{");
}

/** True for a regular expression that the server can run. */
export function isRegexp(pattern: string): boolean {
  try {
    new LinearRegexp(pattern);
    return true;
  } catch {
    return false;
  }
}

/** Pattern for a host with `*.` at its start. */
export function wildcardPattern(host: string): string {
  return `^.+${quoted(host.slice(1))}$`;
}

/** @returns the matcher of a host, for one matcher set; empty for every host */
export function hostMatcher(host: string, isOneLabel: boolean): Json {
  if (host === "") {
    return {};
  }
  return host.startsWith("*.") && !isOneLabel
    ? { vars_regexp: { "{http.request.host}": { pattern: `(?i)${wildcardPattern(host)}` } } }
    : { host: [host] };
}

export function withoutEndSlash(path: string): string {
  return path.replace(/\/+$/, "");
}

/** Matches by whole path segments: `/a` matches `/a` and `/a/b`, and not `/ab`. */
export function prefixMatcher(path: string): Json {
  const bare = withoutEndSlash(path);
  return bare === "" ? {} : { path_regexp: { pattern: `^${quoted(bare)}(?:/|$)` } };
}

export function exactMatcher(path: string): Json {
  return { path_regexp: { pattern: `^${quoted(path)}$` } };
}

/** True for a value that the server's matchers take literally. */
function isPlain(value: string): boolean {
  return !value.startsWith("*") && !value.endsWith("*") && !/[{}\\]/.test(value) && value !== "";
}

/** Keeps the first of several matches with the same name. */
function firstOfEach(matches: readonly TextMatch[], name: (name: string) => string): TextMatch[] {
  return matches.filter(
    (match, index) => matches.findIndex((other) => name(other.name) === name(match.name)) === index,
  );
}

const isRegular = ({ type }: TextMatch) => type === "RegularExpression";

/** The first faulty regular expression; undefined when there is none. */
export function faultyPattern(matches: readonly TextMatch[]): string | undefined {
  return matches.find((match) => isRegular(match) && !isRegexp(match.value))?.value;
}

/** Matchers of header fields: all must match. */
export function headerMatchers(matches: readonly TextMatch[]): Json {
  const plain: [string, string[]][] = [];
  const regular: [string, Json][] = [];
  for (const match of firstOfEach(matches, (name) => name.toLowerCase())) {
    if (isRegular(match)) {
      regular.push([match.name, { pattern: match.value }]);
    } else if (isPlain(match.value)) {
      plain.push([match.name, [match.value]]);
    } else {
      regular.push([match.name, { pattern: `^${quoted(match.value)}$` }]);
    }
  }
  return {
    ...(plain.length === 0 ? {} : { header: Object.fromEntries(plain) }),
    ...(regular.length === 0 ? {} : { header_regexp: Object.fromEntries(regular) }),
  };
}

/** Matchers of query parameters: all must match. */
export function queryMatchers(matches: readonly TextMatch[]): Json {
  const plain: [string, string[]][] = [];
  const terms: string[] = [];
  for (const match of firstOfEach(matches, (name) => name)) {
    if (isPlain(match.value) && !isRegular(match)) {
      plain.push([literal(match.name), [match.value]]);
    } else {
      const pattern = isRegular(match) ? match.value : `^${quoted(match.value)}$`;
      terms.push(`{http.request.uri.query.${match.name}}.matches(${JSON.stringify(pattern)})`);
    }
  }
  return {
    ...(plain.length === 0 ? {} : { query: Object.fromEntries(plain) }),
    ...(terms.length === 0 ? {} : { expression: { expr: terms.join(" && ") } }),
  };
}

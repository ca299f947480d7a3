import { compileGlob, isGlob } from "../../core/glob/path-glob.ts";
import { cleanPath } from "../../core/uri/request-target.ts";

/** The forms of a path that patterns are compared with. */
export interface MatchedPath {
  /** Decoded, not cleaned. */
  readonly path: string;
  /** As sent. */
  readonly rawPath: string;
}

/** One unit of a pattern or path segment: a character, an escape that must stand escaped, or a wildcard. */
type Token = string;

/** Whether `text` matches `pattern`, in which `star` is any run and `one` any single token. Linear but for the last star. */
function matchesGlob(
  pattern: readonly Token[],
  text: readonly Token[],
  same: (a: Token, b: Token) => boolean,
): boolean {
  let p = 0;
  let t = 0;
  let starAt = -1;
  let retryAt = 0;
  while (t < text.length) {
    const token = pattern[p];
    if (token === "*") {
      starAt = p++;
      retryAt = t;
    } else if (token !== undefined && (token === "?" || same(token, text[t] ?? ""))) {
      p++;
      t++;
    } else if (starAt >= 0) {
      p = starAt + 1;
      t = ++retryAt;
    } else {
      return false;
    }
  }
  while (pattern[p] === "*") {
    p++;
  }
  return p === pattern.length;
}

/** Wildcards do not cross a slash. */
function matchesSegments(
  pattern: readonly (readonly Token[])[],
  path: readonly (readonly Token[])[],
  same: (a: Token, b: Token) => boolean,
): boolean {
  return (
    pattern.length === path.length &&
    pattern.every((segment, index) => matchesGlob(segment, path[index] ?? [], same))
  );
}

function segmentsOf(text: string, tokenize: (segment: string) => Token[]): Token[][] {
  return text.split("/").map(tokenize);
}

function escapeTokens(segment: string): Token[] {
  return segment.match(/%[0-9a-f]{2}|%\*|[\s\S]/g)?.map((token) => (token === "%*" ? "*" : token)) ?? [];
}

/** A plain character of the pattern stands for itself, escaped or not; an escape of the pattern only for itself. */
function sameEscaped(pattern: Token, path: Token): boolean {
  if (pattern === path) {
    return true;
  }
  return (
    pattern.length === 1 &&
    path.length === 3 &&
    String.fromCharCode(Number.parseInt(path.slice(1), 16)).toLowerCase() === pattern
  );
}

/**
 * Prepares a path pattern: exact; `*` alone; `/a*` prefix; `*.php` suffix; `*mid*` substring; anything else is a glob
 * whose wildcards stay within one segment. Case does not count. It is compared with the decoded, cleaned path; a pattern that contains `%` with the
 * path as sent, cleaned. A pattern with `//` leaves repeated slashes as they are.
 * Source: the public model (Caddy 2.11)
 */
export function compilePathPattern(text: string): (path: MatchedPath) => boolean {
  const pattern = text.toLowerCase();
  const mergeSlashes = !pattern.includes("//");
  if (pattern === "*") {
    return () => true;
  }
  if (pattern.includes("%")) {
    const segments = segmentsOf(pattern, escapeTokens);
    return ({ rawPath }) => {
      const path = cleanPath(rawPath, mergeSlashes).toLowerCase();
      return matchesSegments(segments, segmentsOf(path, escapeTokens), sameEscaped);
    };
  }
  const test = compilePlain(pattern);
  return ({ path }) => test(cleanPath(path, mergeSlashes).toLowerCase());
}

function compilePlain(pattern: string): (path: string) => boolean {
  const stars = pattern.split("*").length - 1;
  if (stars === 0 && !isGlob(pattern)) {
    return (path) => path === pattern;
  }
  if (stars === 1 && pattern.endsWith("*")) {
    const prefix = pattern.slice(0, -1);
    return (path) => path.startsWith(prefix);
  }
  if (stars === 1 && pattern.startsWith("*")) {
    const suffix = pattern.slice(1);
    return (path) => path.endsWith(suffix);
  }
  if (stars === 2 && pattern.startsWith("*") && pattern.endsWith("*")) {
    const part = pattern.slice(1, -1);
    return (path) => path.includes(part);
  }
  return compileGlob(pattern) ?? (() => false);
}

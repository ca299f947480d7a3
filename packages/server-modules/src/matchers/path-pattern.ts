import { compileGlob, isGlob } from "server-core/glob/path-glob";
import { lowerCase } from "server-core/go/lower-case";
import { cleanPath } from "server-core/uri/clean-path";
import { escapePath, percentDecode } from "server-core/uri/percent-encoding";
import { bytesOfText } from "server-core/uri/text-of-bytes";

/** The forms of a path with which patterns may be compared. */
export interface MatchedPath {
  /** Decoded path, not cleaned. */
  readonly path: string;
  /** Path as sent, still percent-encoded. */
  readonly rawPath: string;
  /** Cleaned path in lower case. */
  readonly comparedPath: string;
}

/** A unit of a pattern or a path: a byte, an escape that must also be an escape in the path, or a wildcard. */
type Token = string;

/** True for `*` and `%*`, which stop before a slash. */
function isStar(token: Token | undefined): boolean {
  return token === "*" || token === "%*";
}

/**
 * True when a star may consume a unit. `%*` consumes escaped slashes; `*` consumes an escaped slash only as its first
 * unit. Source: Caddy 2.11
 */
function takes(star: Token, unit: Token, isFirst: boolean): boolean {
  return unit !== "/" && (star === "%*" || isFirst || unit !== "%2f");
}

/** Adds the positions after stars, because a star may match nothing. */
function passStars(pattern: readonly Token[], places: Set<number>): Set<number> {
  for (const place of places) {
    if (isStar(pattern[place])) {
      places.add(place + 1);
    }
  }
  return places;
}

/**
 * Matches a path in time proportional to the product of both lengths, by tracking all possible pattern positions. A
 * unit that ends a star must be unescaped in the path.
 */
function matchesTokens(pattern: readonly Token[], path: readonly Token[]): boolean {
  let places = passStars(pattern, new Set([0]));
  /** Positions of stars that have consumed a unit. */
  let begun = new Set<number>();
  for (const unit of path) {
    const next = new Set<number>();
    const going = new Set<number>();
    for (const place of places) {
      const token = pattern[place];
      if (token === undefined) {
        continue;
      }
      if (isStar(token)) {
        if (takes(token, unit, !begun.has(place))) {
          next.add(place);
          going.add(place);
        }
      } else if (
        token === "?"
          ? unit !== "/" && unit !== "%2f"
          : token === unit || (!isStar(pattern[place - 1]) && sameEscaped(token, unit))
      ) {
        next.add(place + 1);
      }
    }
    places = passStars(pattern, next);
    begun = going;
  }
  return places.has(pattern.length);
}

function tokensOf(text: string): Token[] {
  return text.match(/%[0-9a-f]{2}|%\*|[\s\S]/g) ?? [];
}

/**
 * A plain byte of the pattern matches the same byte in the path, escaped or not. An escape of the pattern matches only
 * an escape. A `%` that does not begin an escape matches nothing.
 */
function sameEscaped(pattern: Token, path: Token): boolean {
  if (pattern.length !== 1 || path.length !== 3 || pattern === "%") {
    return false;
  }
  const byte = String.fromCharCode(Number.parseInt(path.slice(1), 16));
  return (byte < "\x80" ? byte.toLowerCase() : byte) === pattern;
}

/** Lowers the letters in non-ASCII escapes: `%C3%89` becomes `%c3%a9`. */
function lowerEscapes(path: string): string {
  return path
    .replace(/(?:%[89a-f][0-9a-f])+/gi, (run) => escapePath(lowerCase(percentDecode(run) ?? "")))
    .toLowerCase();
}

function compileEscaped(pattern: string, mergeSlashes: boolean): (path: MatchedPath) => boolean {
  const tokens = tokensOf(bytesOfText(pattern));
  const lower = /%[89a-f][0-9a-f]/.test(pattern) ? (path: string) => path.toLowerCase() : lowerEscapes;
  return ({ rawPath }) => matchesTokens(tokens, tokensOf(lower(cleanPath(rawPath, mergeSlashes))));
}

/**
 * Compiles a path pattern: an exact path; `*` alone; `/a*` prefix; `*.php` suffix; `*mid*` substring. Other patterns
 * are globs whose wildcards stay within a segment. Case is ignored. The pattern is compared with the decoded, cleaned
 * path. A pattern that contains `%` is compared with the cleaned path as sent. A pattern with `//` keeps repeated
 * slashes. Source: Caddy 2.11
 */
export function compilePathPattern(text: string): (path: MatchedPath) => boolean {
  const pattern = lowerCase(text);
  const mergeSlashes = !pattern.includes("//");
  if (pattern === "*") {
    return () => true;
  }
  if (pattern.includes("%")) {
    return compileEscaped(pattern, mergeSlashes);
  }
  const test = compilePlain(pattern);
  return mergeSlashes
    ? ({ comparedPath }) => test(comparedPath)
    : ({ path }) => test(lowerCase(cleanPath(path, false)));
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

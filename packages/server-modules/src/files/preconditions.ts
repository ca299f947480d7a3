import type { Exchange } from "http-engine/exchange";
import { getHeaders } from "http-engine/header-list";

/** Validators of a representation. */
export interface Validators {
  /** Entity tag with its quotes; "" for none. */
  readonly etag: string;
  /** Time of the last change in milliseconds since 1970; undefined when unknown. */
  readonly modifiedMs: number | undefined;
}

/**
 * The result of a request's conditions: continue, 304, or 412.
 * - `go on`: the conditions are met, or there are none
 * - `not modified`: 304, the client's copy is current
 * - `failed`: 412, the resource is not in the state that the client requires
 */
export type Precondition = "go on" | "not modified" | "failed";

/** Fast check: most requests have no conditions. */
function hasConditions({ requestHeaders }: Exchange): boolean {
  for (let index = 0; index < requestHeaders.length; index += 2) {
    const name = requestHeaders[index] as string;
    if (name[2] === "-" && name.slice(0, 2).toLowerCase() === "if") {
      return true;
    }
  }
  return false;
}

/** All values of a field as one list. */
function headerOf(exchange: Exchange, name: string): string {
  return getHeaders(exchange.requestHeaders, name).join(", ");
}

/** Removes the `W/` prefix of a weak tag. */
function weak(etag: string): string {
  return etag.startsWith("W/") ? etag.slice(2) : etag;
}

/** Entity tags of a list, up to the first invalid one. */
function listedTags(header: string): string[] {
  const tags: string[] = [];
  const pattern = /[\s,]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")/y;
  for (let match = pattern.exec(header); match !== null; match = pattern.exec(header)) {
    tags.push(match[1] ?? "");
  }
  return tags;
}

/** True when the list contains `*`, alone or among other tags. */
function isAnyTag(header: string): boolean {
  return header.includes("*") && /(?:^|,)\s*\*\s*(?:,|$)/.test(header.replace(/"[^"]*"/g, '""'));
}

/** True when the list contains the tag by weak comparison, as `If-None-Match` requires. */
export function listsEtag(header: string, etag: string): boolean {
  return isAnyTag(header) || (etag !== "" && listedTags(header).some((tag) => weak(tag) === weak(etag)));
}

/** True when a list contains the tag by strong comparison, as `If-Match` requires: weak tags never match. */
function listsEtagStrongly(header: string, etag: string): boolean {
  return isAnyTag(header) || (etag !== "" && !etag.startsWith("W/") && listedTags(header).includes(etag));
}

/** Parses an HTTP date to whole seconds since 1970; undefined for text that is no date. */
export function parseHttpDate(text: string): number | undefined {
  const ms = /\bGMT$|^[A-Z][a-z]{2} [A-Z][a-z]{2} /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}

/** Rounds down to whole seconds, the precision of HTTP dates. */
const seconds = (ms: number) => Math.floor(ms / 1000);

/**
 * Evaluates `If-None-Match`; only without this header `If-Modified-Since`. A match answers 304 to GET and HEAD, and 412
 * to other methods.
 */
function lastState(exchange: Exchange, { etag, modifiedMs }: Validators): Precondition {
  const noneMatch = headerOf(exchange, "if-none-match");
  const safe = exchange.method === "GET" || exchange.method === "HEAD";
  if (noneMatch !== "") {
    if (!listsEtag(noneMatch, etag)) {
      return "go on";
    }
    return safe ? "not modified" : "failed";
  }
  const since = parseHttpDate(exchange.header("if-modified-since"));
  return safe && modifiedMs !== undefined && since !== undefined && seconds(modifiedMs) <= since
    ? "not modified"
    : "go on";
}

/** Evaluates the conditions of a request, in their order. Source: RFC 9110 section 13.2.2 */
export function checkPreconditions(exchange: Exchange, validators: Validators): Precondition {
  if (!hasConditions(exchange)) {
    return "go on";
  }
  const match = headerOf(exchange, "if-match");
  if (match !== "") {
    if (!listsEtagStrongly(match, validators.etag)) {
      return "failed";
    }
  } else {
    const unmodified = parseHttpDate(exchange.header("if-unmodified-since"));
    const { modifiedMs } = validators;
    if (unmodified !== undefined && modifiedMs !== undefined && seconds(modifiedMs) > unmodified) {
      return "failed";
    }
  }
  return lastState(exchange, validators);
}

/** True when `If-Range` allows a range, or is absent. Source: RFC 9110 section 13.1.5 */
export function rangeAllowed(exchange: Exchange, { etag, modifiedMs }: Validators): boolean {
  const condition = exchange.header("if-range");
  if (condition === "") {
    return true;
  }
  if (/^(?:W\/)?"/.test(condition)) {
    return etag !== "" && !etag.startsWith("W/") && condition === etag;
  }
  const date = parseHttpDate(condition);
  return date !== undefined && modifiedMs !== undefined && seconds(modifiedMs) === date;
}

import { QueryError } from "../query-error.ts";

/** Escape sequences within quotes; the same as in JSON. */
const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

function bad(reason: string, position: number): QueryError {
  return new QueryError("QUERY_BAD_PARAMETER", `invalid tags: ${reason} at pos ${position}`, {
    parameter: "tags",
  });
}

/**
 * Reads `key=value other="with spaces" flag`. White space separates pairs, and a key without a value has the
 * empty value.
 * @throws QueryError QUERY_BAD_PARAMETER for malformed text and for a repeated key. Source: logfmt, as Tempo
 *   reads its parameter `tags`
 */
export function parseLogfmt(text: string): Map<string, string> {
  const pairs = new Map<string, string>();
  const pattern = /[^\s="]+/y;
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text.charAt(at))) {
      at++;
      continue;
    }
    pattern.lastIndex = at;
    const key = pattern.exec(text)?.[0];
    if (key === undefined) {
      throw bad(`unexpected '${text.charAt(at)}'`, at + 1);
    }
    at += key.length;
    let value = "";
    if (text.charAt(at) === "=") {
      [value, at] = readValue(text, at + 1);
    }
    if (pairs.has(key)) {
      throw new QueryError("QUERY_BAD_PARAMETER", `invalid tags: tag ${key} has been set twice`, {
        parameter: "tags",
      });
    }
    pairs.set(key, value);
  }
  return pairs;
}

/** @returns the value and the offset after the value */
function readValue(text: string, start: number): [value: string, end: number] {
  if (text.charAt(start) !== '"') {
    const value = /^[^\s="]*/.exec(text.slice(start))?.[0] ?? "";
    const end = start + value.length;
    if (text.charAt(end) === "=" || text.charAt(end) === '"') {
      throw bad(`unexpected '${text.charAt(end)}'`, end + 1);
    }
    return [value, end];
  }
  let value = "";
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') {
      const next = text.charAt(at + 1);
      if (next !== "" && !/\s/.test(next)) {
        throw bad(`unexpected '${next}'`, at + 2);
      }
      return [value, at + 1];
    }
    if (character !== "\\") {
      value += character;
      continue;
    }
    const code = /^u([0-9a-fA-F]{4})/.exec(text.slice(at + 1, at + 6))?.[1];
    if (code !== undefined) {
      value += String.fromCharCode(Number.parseInt(code, 16));
      at += 5;
    } else {
      const escaped = text.charAt(++at);
      value += escapes[escaped] ?? escaped;
    }
  }
  throw bad("unterminated quoted value", text.length + 1);
}

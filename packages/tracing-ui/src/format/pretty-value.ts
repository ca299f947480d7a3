import { formatSql, isSql } from "./format-sql.ts";
import { indentJson } from "./indent-json.ts";
import { type StackLine, stackLines } from "./stack-frames.ts";

/** A formatted value, by kind. */
export type PrettyValue =
  | { kind: "json" | "sql"; text: string }
  | { kind: "stack"; lines: readonly StackLine[] }
  /** An address as a list of its named parts, decoded. */
  | { kind: "url"; parts: readonly (readonly [name: string, value: string])[] };

/**
 * Length limit for formatting, in letters. A longer value stays unchanged: the patterns would block the page for
 * seconds.
 */
const mostLetters = 200_000;

/** The formatted layout of a value; undefined when no layout is better than the text. */
export function prettyValue(key: string, text: string): PrettyValue | undefined {
  if (text.length > mostLetters || text.length < 8) {
    return undefined;
  }
  const json = indentJson(text);
  if (json !== undefined) {
    return json === text ? undefined : { kind: "json", text: json };
  }
  if (/stack/i.test(key) || text.includes("\n")) {
    const lines = stackLines(text);
    if (lines !== undefined) {
      return { kind: "stack", lines };
    }
  }
  if (isSql(text)) {
    const sql = formatSql(text);
    return sql === text ? undefined : { kind: "sql", text: sql };
  }
  return urlParts(text);
}

/**
 * The parts of an address with a query: `https://a.example/b?c=d` gives host, path `/b` and `?c` with `d`.
 * Undefined for other texts.
 */
function urlParts(text: string): PrettyValue | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\/\S+\?\S+$/i.test(text) || !URL.canParse(text)) {
    return undefined;
  }
  const { protocol, host, pathname, searchParams, hash } = new URL(text);
  const parts: [string, string][] = [
    ["host", `${protocol}//${host}`],
    ["path", decoded(pathname)],
    ...[...searchParams].map(([name, value]): [string, string] => [`?${name}`, value]),
  ];
  if (hash !== "") {
    parts.push(["#", decoded(hash.slice(1))]);
  }
  return { kind: "url", parts };
}

/** A part of an address with its percent-encoding decoded; unchanged when the encoding is invalid. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

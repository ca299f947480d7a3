import { parseDuration } from "../format/parse-duration.ts";

/** One condition of a filter; a span must meet all of them. */
export type FilterTerm =
  /** The text stands anywhere in the span; with `without` it stands nowhere. */
  | { kind: "text"; text: string; without: boolean }
  /** A time of the span, microseconds: its duration, or the part of it in which no child ran. */
  | { kind: "time"; of: "duration" | "self"; comparator: ">" | ">=" | "<" | "<="; us: number }
  /** The level of the span in the tree, from 1. */
  | { kind: "depth"; comparator: ">" | ">=" | "<" | "<="; value: number }
  /** The end of the span; with `without` any other end. */
  | { kind: "status"; status: SpanStatus; without: boolean }
  /** A number of the attribute: spans whose attribute is none, or that lack it, do not meet it. */
  | { kind: "number"; key: string; comparator: ">" | ">=" | "<" | "<="; value: number }
  /** The span has the attribute, with another value. */
  | { kind: "differs"; key: string; value: string }
  /** A regular expression that some value of the attribute meets; with `without` none does. */
  | { kind: "pattern"; key: string; pattern: RegExp; without: boolean };

/** The end of a span: failed, succeeded, or unknown. */
export type SpanStatus = "error" | "ok" | "unset";

/** The parsed conditions of a filter's text. */
export interface FilterTerms {
  terms: readonly FilterTerm[];
  /** The fault of the first unreadable part; undefined when all are readable. */
  fault: string | undefined;
}

const statuses: readonly string[] = ["error", "ok", "unset"] satisfies readonly SpanStatus[];
/** A comparison: key, operator, value. */
const comparison = /^([\p{L}_][\p{L}\p{N}_.:/-]*)(>=|<=|!=|=~|!~|=|>|<)(.*)$/su;
/** A regular expression may be this long: it is tried on every span with each letter that is typed. */
const mostPatternLetters = 200;

/**
 * Reads a filter: words, `"several words"`, `-word` for spans without it, and comparisons such as `duration>100ms`,
 * `self>=1s`, `status=error`, `depth<3`, `http.status_code>=500`, `db.system!=redis`, `http.route=~^/api`. `key=value` is a
 * word: it is found in the attributes as they are written. A comparison that is not finished is passed over.
 */
export function filterTerms(text: string): FilterTerms {
  const terms: FilterTerm[] = [];
  let fault: string | undefined;
  for (const { written, isQuoted } of partsOf(text)) {
    const read = isQuoted ? textTerm(written) : readPart(written);
    if (typeof read === "string") {
      fault ??= read;
    } else if (read !== undefined) {
      terms.push(read);
    }
  }
  return { terms, fault };
}

/** Parts with blanks between them; within quotes a blank is a letter. A quote inside of a part belongs to its value. */
function partsOf(text: string): { written: string; isQuoted: boolean }[] {
  const parts = text.matchAll(/"([^"]+)"?|((?:[^\s"]+(?:"[^"]*"?)?)+)/g);
  return [...parts].map(([, quoted, plain = ""]) => ({
    written: quoted ?? plain.replace(/"/g, ""),
    isQuoted: quoted !== undefined,
  }));
}

/** The condition of one part; a text for a fault, undefined for a part that is not finished. */
function readPart(part: string): FilterTerm | string | undefined {
  const [, key = "", comparator = "", value = ""] = comparison.exec(part) ?? [];
  if (comparator === "") {
    return negatedTerm(part);
  }
  if (key === "status" && (comparator === "=" || comparator === "!=")) {
    return statusTerm(comparator, value.toLowerCase());
  }
  if (comparator === "=") {
    return textTerm(part);
  }
  // Nobody has finished typing.
  if (value === "") {
    return undefined;
  }
  if (comparator === "=~" || comparator === "!~") {
    return patternTerm(key, value, comparator === "!~");
  }
  if (comparator === "!=") {
    return { kind: "differs", key: key.toLowerCase(), value: value.toLowerCase() };
  }
  const order = comparator as ">" | ">=" | "<" | "<=";
  if (key === "duration" || key === "self") {
    const us = parseDuration(value) ?? (/^[\d.]+$/.test(value) ? undefined : Number.NaN);
    if (us === undefined) {
      return undefined;
    }
    if (Number.isNaN(us)) {
      return `“${value}” is no duration: write 100ms or 1.5s`;
    }
    return { kind: "time", of: key, comparator: order, us };
  }
  const number = Number(value);
  if (!Number.isFinite(number)) {
    return textTerm(part);
  }
  if (key === "depth") {
    return { kind: "depth", comparator: order, value: number };
  }
  return { kind: "number", key: key.toLowerCase(), comparator: order, value: number };
}

/** A text that stands anywhere in the span, in any case. */
function textTerm(text: string): FilterTerm {
  return { kind: "text", text: text.toLowerCase(), without: false };
}

/** `-word` for spans without the word; a lone minus is not finished yet. */
function negatedTerm(part: string): FilterTerm | undefined {
  if (part === "-") {
    return undefined;
  }
  // A minus before a letter or a path: -5 is looked for as it is.
  if (/^-[\p{L}/_]/u.test(part)) {
    return { kind: "text", text: part.slice(1).toLowerCase(), without: true };
  }
  return textTerm(part);
}

/** A condition on the status; the beginning of a status is not finished yet. */
function statusTerm(comparator: "=" | "!=", value: string): FilterTerm | string | undefined {
  if (statuses.includes(value)) {
    return { kind: "status", status: value as SpanStatus, without: comparator === "!=" };
  }
  if (statuses.some((status) => status.startsWith(value))) {
    return undefined;
  }
  return `“${value}” is no status: write error, ok or unset`;
}

/** A condition by a regular expression, in any case; a text for an expression that is wrong or too long. */
function patternTerm(key: string, value: string, without: boolean): FilterTerm | string {
  if (value.length > mostPatternLetters) {
    return `a regular expression may have ${mostPatternLetters} letters`;
  }
  try {
    return { kind: "pattern", key: key.toLowerCase(), pattern: new RegExp(value, "iu"), without };
  } catch {
    return `“${value}” is no regular expression`;
  }
}

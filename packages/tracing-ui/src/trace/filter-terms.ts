import { parseDuration } from "../format/parse-duration.ts";

/** A span must meet all conditions. */
export type FilterTerm =
  /** Conditions of which one is enough. */
  | { kind: "any"; terms: readonly FilterTerm[] }
  /** The span contains the text anywhere; with `without` nowhere. */
  | { kind: "text"; text: string; without: boolean }
  /** A comparison of the span's duration or self time, in microseconds. */
  | { kind: "time"; of: "duration" | "self"; comparator: ">" | ">=" | "<" | "<="; us: number }
  /** A comparison of the span's level in the tree, from 1. */
  | { kind: "depth"; comparator: ">" | ">=" | "<" | "<="; value: number }
  /** The status of the span; with `without` any other status. */
  | { kind: "status"; status: SpanStatus; without: boolean }
  /** A comparison of a numeric attribute. Spans without the attribute, or with a text, do not match. */
  | { kind: "number"; key: string; comparator: ">" | ">=" | "<" | "<="; value: number }
  /** The attribute has the value, or the span contains `text`, which is `key=value`. */
  | { kind: "equals"; key: string; value: string; text: string }
  /** The span has the attribute with another value. */
  | { kind: "differs"; key: string; value: string }
  /** A regular expression that matches a value of the attribute; with `without` it matches no value. */
  | { kind: "pattern"; key: string; pattern: RegExp; without: boolean };

/** The status of a span: failed, explicitly OK, or unset. */
export type SpanStatus = "error" | "ok" | "unset";

/** The parsed conditions of a filter's text. */
export interface FilterTerms {
  terms: readonly FilterTerm[];
  /** Error message for the first unreadable part; undefined when all parts are readable. */
  fault: string | undefined;
}

const statuses: readonly string[] = ["error", "ok", "unset"] satisfies readonly SpanStatus[];
/** Matches a comparison: key, operator, value. */
const comparison = /^([\p{L}_][\p{L}\p{N}_.:/-]*)(>=|<=|!=|=~|!~|=|>|<)(.*)$/su;
/** Maximum number of letters in a regular expression, which is tested on every span after each typed letter. */
const mostPatternLetters = 200;

/**
 * Parses a filter: words, `"several words"`, `-word` for spans without the word, and comparisons such as
 * `duration>100ms`, `self>=1s`, `status=error`, `depth<3`, `http.status_code>=500`, `service=cart`,
 * `db.system!=redis`, `http.route=~^/api`. `key=value` also finds attributes of the span whose value only begins with
 * `value`. `OR` between two conditions makes one of them enough. An unfinished comparison is ignored.
 */
export function filterTerms(text: string): FilterTerms {
  const terms: FilterTerm[] = [];
  let fault: string | undefined;
  let isAlternative = false;
  for (const { written, isQuoted } of partsOf(text)) {
    if (written === "OR" && !isQuoted) {
      isAlternative = terms.length > 0;
      continue;
    }
    const read = isQuoted ? textTerm(written) : readPart(written);
    if (typeof read === "string") {
      fault ??= read;
    } else if (read !== undefined) {
      terms.push(isAlternative ? either(terms.pop(), read) : read);
    }
    isAlternative = false;
  }
  return { terms, fault };
}

/** Joins a condition to the one before it. */
function either(first: FilterTerm | undefined, second: FilterTerm): FilterTerm {
  if (first === undefined) {
    return second;
  }
  return { kind: "any", terms: [...(first.kind === "any" ? first.terms : [first]), second] };
}

/** Splits a filter at blanks outside quotes. A quote inside a part belongs to the part's value. */
function partsOf(text: string): { written: string; isQuoted: boolean }[] {
  const parts = text.matchAll(/"([^"]+)"?|((?:[^\s"]+(?:"[^"]*"?)?)+)/g);
  return [...parts].map(([, quoted, plain = ""]) => ({
    written: quoted ?? plain.replace(/"/g, ""),
    isQuoted: quoted !== undefined,
  }));
}

/** The condition of one part; a text is an error message, undefined means an unfinished part. */
function readPart(part: string): FilterTerm | string | undefined {
  const [, key = "", comparator = "", value = ""] = comparison.exec(part) ?? [];
  if (comparator === "") {
    return negatedTerm(part);
  }
  if (key === "status" && (comparator === "=" || comparator === "!=")) {
    return statusTerm(comparator, value.toLowerCase());
  }
  if (comparator === "=") {
    return { kind: "equals", key: key.toLowerCase(), value: value.toLowerCase(), text: part.toLowerCase() };
  }
  // The user has not typed the value yet.
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

/** A condition that a text occurs anywhere in the span; upper and lower case are equal. */
function textTerm(text: string): FilterTerm {
  return { kind: "text", text: text.toLowerCase(), without: false };
}

/** The condition of `-word`, for spans without the word. A lone minus is unfinished. */
function negatedTerm(part: string): FilterTerm | undefined {
  if (part === "-") {
    return undefined;
  }
  // A minus negates only before a letter or a path; `-5` is an ordinary word.
  if (/^-[\p{L}/_]/u.test(part)) {
    return { kind: "text", text: part.slice(1).toLowerCase(), without: true };
  }
  return textTerm(part);
}

/** A condition on the status. A prefix of a status name is unfinished. */
function statusTerm(comparator: "=" | "!=", value: string): FilterTerm | string | undefined {
  if (statuses.includes(value)) {
    return { kind: "status", status: value as SpanStatus, without: comparator === "!=" };
  }
  if (statuses.some((status) => status.startsWith(value))) {
    return undefined;
  }
  return `“${value}” is no status: write error, ok or unset`;
}

/** A condition by a case-insensitive regular expression; a text is the error for an invalid or too long expression. */
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

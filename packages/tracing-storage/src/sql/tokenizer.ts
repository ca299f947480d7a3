/** A token of SQL; blanks and comments are no tokens. */
export interface Token {
  /** `symbol`: one character; `quoted`: an identifier in double quotes or backticks. */
  readonly kind: "word" | "quoted" | "string" | "symbol";
  /** Text of the token: words in upper case, quoted identifiers without their quotes, other tokens unchanged. */
  readonly text: string;
  /** Position of the first character; the next field is the position after the token. */
  readonly start: number;
  readonly end: number;
}

const dollar = 0x24;
const backslash = 0x5c;

function isWordPart(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f
  );
}

/** True for blanks. The engine skips Unicode blanks, and accepts no other unquoted character outside ASCII. */
function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0 || code >= 0x80;
}

function wordEnd(sql: string, start: number): number {
  let end = start;
  while (isWordPart(sql.charCodeAt(end)) || sql.charCodeAt(end) === dollar) {
    end++;
  }
  return end;
}

/** End of the tag `$word$` that starts at `start`; -1 without such a tag. */
function tagEnd(sql: string, start: number): number {
  let end = start + 1;
  while (isWordPart(sql.charCodeAt(end))) {
    end++;
  }
  return sql.charCodeAt(end) === dollar ? end + 1 : -1;
}

/**
 * Finds the ends of quotes, comments and heredocs, and remembers openings without an end. Otherwise, for each opening
 * without an end, the text would be searched to its end.
 */
class Ends {
  readonly #sql: string;
  readonly #unclosed = new Set<string>();
  #lastTags: Map<string, number> | undefined;

  constructor(sql: string) {
    this.#sql = sql;
  }

  /** @returns position after the closing quote; -1 without a closing quote */
  quote(start: number): number {
    const sql = this.#sql;
    const quote = sql.charAt(start);
    if (this.#unclosed.has(quote)) {
      return -1;
    }
    const code = quote.charCodeAt(0);
    for (let index = start + 1; index < sql.length; index++) {
      const here = sql.charCodeAt(index);
      if (here === backslash) {
        index++;
      } else if (here === code) {
        if (sql.charCodeAt(index + 1) !== code) {
          return index + 1;
        }
        index++;
      }
    }
    this.#unclosed.add(quote);
    return -1;
  }

  /** @returns position after the comment; -1 for a comment without an end */
  comment(start: number): number {
    if (this.#unclosed.has("*/")) {
      return -1;
    }
    const end = this.#sql.indexOf("*/", start + 2);
    if (end < 0) {
      this.#unclosed.add("*/");
      return -1;
    }
    return end + 2;
  }

  /** @returns position after the second `$tag$`; -1 without a tag, or without a second one */
  heredoc(start: number): number {
    const open = tagEnd(this.#sql, start);
    if (open < 0) {
      return -1;
    }
    const tag = this.#sql.slice(start, open);
    this.#lastTags ??= this.#readTags();
    return (this.#lastTags.get(tag) ?? -1) < open ? -1 : this.#sql.indexOf(tag, open) + tag.length;
  }

  /** Every `$tag$` of the text, with its last position. */
  #readTags(): Map<string, number> {
    const tags = new Map<string, number>();
    for (let at = this.#sql.indexOf("$"); at >= 0; at = this.#sql.indexOf("$", at + 1)) {
      const end = tagEnd(this.#sql, at);
      if (end >= 0) {
        tags.set(this.#sql.slice(at, end), at);
      }
    }
    return tags;
  }
}

function skipBlanksAndComments(sql: string, from: number, ends: Ends): number {
  let index = from;
  while (index < sql.length) {
    const two = sql.slice(index, index + 2);
    if (isBlank(sql.charCodeAt(index))) {
      index++;
    } else if (two === "--" || two === "# " || two === "#!") {
      const end = sql.indexOf("\n", index);
      index = end < 0 ? sql.length : end;
    } else {
      const end = two === "/*" ? ends.comment(index) : -1;
      if (end < 0) {
        break;
      }
      index = end;
    }
  }
  return index;
}

function unquoted(text: string): string {
  const quote = text.charAt(0);
  return text
    .slice(1, -1)
    .replaceAll(quote + quote, quote)
    .replace(/\\([\s\S])/g, "$1");
}

function tokenAt(sql: string, start: number, ends: Ends): Token {
  const first = sql.charAt(start);
  const heredoc = first === "$" ? ends.heredoc(start) : -1;
  const string = first === "'" ? ends.quote(start) : heredoc;
  if (string >= 0) {
    return { kind: "string", text: sql.slice(start, string), start, end: string };
  }
  const word = wordEnd(sql, start);
  if (word > start) {
    return { kind: "word", text: sql.slice(start, word).toUpperCase(), start, end: word };
  }
  const quoted = first === '"' || first === "`" ? ends.quote(start) : -1;
  return quoted >= 0
    ? { kind: "quoted", text: unquoted(sql.slice(start, quoted)), start, end: quoted }
    : { kind: "symbol", text: first, start, end: start + 1 };
}

/**
 * Splits ClickHouse SQL into tokens, each only when it is requested, because the text after an insert's `FORMAT x` is
 * data. It recognizes only words, strings and comments; numbers are treated as words. Never throws: an unclosed quote
 * is a symbol, which the engine's parser reports. The time is linear in the text's length.
 * @param sql bytes as latin1 characters, so that each index is also the index of a byte
 * @param from index to start at. Source: ClickHouse src/Parsers/Lexer.cpp
 */
export function* tokenize(sql: string, from = 0): Generator<Token, undefined> {
  const ends = new Ends(sql);
  for (let index = from; ; ) {
    index = skipBlanksAndComments(sql, index, ends);
    if (index >= sql.length) {
      return;
    }
    const token = tokenAt(sql, index, ends);
    yield token;
    index = token.end;
  }
}

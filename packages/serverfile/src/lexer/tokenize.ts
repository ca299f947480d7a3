import { ServerError } from "server-core/errors";
import { checkHeredocMarker, heredocText, heredocWithoutEnd } from "./heredoc.ts";
import type { Quote, Token } from "./token.ts";
import { isSpace } from "./white-space.ts";

/**
 * Maximum number of tokens in a serverfile, with imports expanded; a text with more is refused. It protects the memory
 * from a large text of an API client.
 */
export const maxTokens = 2_000_000;

const noImports: readonly string[] = [];
/** Code units with a meaning to the lexer. */
const code = { newLine: 0x0a, return: 0x0d, space: 0x20, quote: 0x22, hash: 0x23, less: 0x3c } as const;
const backslash = 0x5c;
const backtick = 0x60;

function lineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    count++;
  }
  return count;
}

/**
 * Reads words in order, and counts lines.
 *
 * | text | word |
 * |---|---|
 * | `a\"b` | `a\"b`: outside quotes, a backslash is an ordinary character |
 * | `"a \"b\" c"` | `a "b" c` |
 * | backticks around `a "b"` | `a "b"` |
 * | `a#b` | `a#b`: `#` starts a comment only at the beginning of a word |
 */
class Lexer {
  readonly #text: string;
  readonly #file: string;
  readonly #tokens: Token[] = [];
  #at = 0;
  #line = 1;
  /** Escaped line breaks, and line breaks in heredocs. Such breaks are counted when the line really ends. */
  #skippedLines = 0;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
  }

  /** Returns all words. @throws ServerError CONFIG_ADAPTER above the limit of tokens */
  all(): Token[] {
    while (this.#word()) {
      if (this.#tokens.length > maxTokens) {
        throw new ServerError(
          "CONFIG_ADAPTER",
          `more tokens than the limit of ${maxTokens}, at ${this.#file}:${this.#line}`,
        );
      }
    }
    return this.#tokens;
  }

  #push(text: string, line: number, quote: Quote): true {
    this.#tokens.push({ text, file: this.#file, line, quote, imports: noImports, snippet: "" });
    return true;
  }

  /** Counts the end of a line, including the escaped line breaks before it. */
  #endLine(): void {
    this.#line += 1 + this.#skippedLines;
    this.#skippedLines = 0;
  }

  /** Skips white space, and reads the next word. @returns false at the end of the text */
  #word(): boolean {
    const text = this.#text;
    let escaped = false;
    let comment = false;
    for (; this.#at < text.length; this.#at++) {
      const unit = text.charCodeAt(this.#at);
      if (!escaped && unit === backslash) {
        escaped = true; // also in a comment: the next line then counts as the same line, as in Caddy
      } else if (isSpace(unit)) {
        if (unit === code.newLine) {
          if (escaped) {
            this.#skippedLines++;
            escaped = false;
          } else {
            this.#endLine();
          }
          comment = false;
        }
      } else if (comment || unit === code.hash) {
        comment = true;
      } else if (unit === code.quote) {
        return this.#quoted(escaped);
      } else if (unit === backtick) {
        return this.#backticked();
      } else {
        return this.#bare(escaped);
      }
    }
    return false;
  }

  /**
   * Reads `"…"`. If the text ends inside the quotes, the rest becomes a bare word, as in Caddy.
   * @param escapedBefore true when a backslash precedes the quote
   */
  #quoted(escapedBefore: boolean): boolean {
    const text = this.#text;
    const line = this.#line;
    let escaped = escapedBefore;
    let copied = ++this.#at;
    let value = escapedBefore && text.charCodeAt(copied) !== code.quote ? "\\" : "";
    for (; this.#at < text.length; this.#at++) {
      const unit = text.charCodeAt(this.#at);
      if (escaped) {
        escaped = false;
        if (unit === code.quote) {
          value += text.slice(copied, Math.max(copied, this.#at - 1)); // without the backslash
          copied = this.#at;
        }
      } else if (unit === backslash) {
        escaped = true;
        continue;
      } else if (unit === code.quote) {
        value += text.slice(copied, this.#at++);
        return this.#push(value, line, '"');
      }
      if (unit === code.newLine) {
        this.#endLine();
      }
    }
    value += text.slice(copied, escaped ? text.length - 1 : text.length);
    return value === "" ? false : this.#push(value, line, "");
  }

  /** Reads a word in backticks, which has no escapes. */
  #backticked(): boolean {
    const line = this.#line;
    const start = this.#at + 1;
    const end = this.#text.indexOf("`", start);
    const value = this.#text.slice(start, end === -1 ? undefined : end);
    for (let left = lineBreaks(value); left > 0; left--) {
      this.#endLine();
    }
    this.#at = end === -1 ? this.#text.length : end + 1;
    return end === -1 && value === "" ? false : this.#push(value, line, end === -1 ? "" : "`");
  }

  /** Reads an unquoted word up to the next white space, or a heredoc. */
  #bare(escapedBefore: boolean): boolean {
    const text = this.#text;
    const line = this.#line;
    if (!escapedBefore && this.#plain(line)) {
      return true;
    }
    let escaped = escapedBefore;
    let heredocEscaped = false;
    let value = "";
    for (; this.#at < text.length; this.#at++) {
      const unit = text.charCodeAt(this.#at);
      if (!heredocEscaped && value.length === 2 && value === "<<") {
        return this.#heredocOrBare(value, line);
      }
      if (!escaped && unit === backslash) {
        escaped = true;
        continue;
      }
      if (isSpace(unit)) {
        if (unit === code.return) {
          continue;
        }
        this.#at++;
        if (unit === code.newLine) {
          if (escaped) {
            this.#skippedLines++;
          } else {
            this.#endLine();
          }
        }
        return this.#push(value, line, "");
      }
      if (escaped) {
        if (unit === code.less) {
          heredocEscaped = true;
        } else {
          value += "\\";
        }
        escaped = false;
      }
      value += text[this.#at];
    }
    return this.#push(value, line, "");
  }

  /**
   * Fast path: reads a word without escapes, carriage returns and heredoc. @returns false for a word that needs the
   * slow path
   */
  #plain(line: number): boolean {
    const text = this.#text;
    const start = this.#at;
    let end = start;
    let unit = text.charCodeAt(end);
    if (unit === code.less && text.charCodeAt(end + 1) === code.less) {
      return false;
    }
    while (end < text.length && !isSpace(unit)) {
      if (unit === backslash) {
        return false;
      }
      unit = text.charCodeAt(++end);
    }
    if (unit === code.return) {
      return false;
    }
    this.#at = end + 1;
    if (unit === code.newLine) {
      this.#endLine();
    }
    return this.#push(text.slice(start, end), line, "");
  }

  /** Called after `<<`: if a blank follows the word, it is a plain word; if a line break follows, it is a heredoc. */
  #heredocOrBare(start: string, line: number): boolean {
    const text = this.#text;
    let value = start;
    for (; this.#at < text.length; this.#at++) {
      const unit = text.charCodeAt(this.#at);
      if (unit === code.space) {
        this.#at++;
        return this.#push(value, line, "");
      }
      if (unit === code.newLine) {
        return this.#heredoc(value.slice(2), line);
      }
      if (unit !== code.return) {
        value += text[this.#at];
      }
    }
    return this.#push(value, line, "");
  }

  /**
   * Reads the lines of a heredoc up to its marker. @param line line of the word `<<MARKER` @throws ServerError
   * CONFIG_ADAPTER
   */
  #heredoc(marker: string, line: number): boolean {
    checkHeredocMarker(marker, this.#file, this.#line);
    const start = this.#at + 1;
    const end = this.#text.indexOf(marker, start);
    const body = this.#text.slice(start, end === -1 ? undefined : end);
    this.#skippedLines += 1 + lineBreaks(body);
    if (end === -1) {
      throw heredocWithoutEnd(marker, this.#file, this.#line, this.#line + this.#skippedLines);
    }
    const value = heredocText(body, marker, this.#file, this.#line);
    this.#line += this.#skippedLines;
    this.#skippedLines = 0;
    this.#at = end + marker.length;
    return this.#push(value, line, "<");
  }
}

/**
 * Splits a text into words, separated by white space. `"…"` and `` `…` `` may span lines; `<<MARKER` opens a heredoc;
 * `\` at a line's end continues the line; `#` before a word starts a comment.
 * @param text text with expanded environment variables, without a byte order mark
 * @throws ServerError CONFIG_ADAPTER for a bad heredoc, or above {@link maxTokens}
 * Source: Caddy 2.11, observed output
 */
export function tokenize(text: string, file: string): Token[] {
  return new Lexer(text, file).all();
}

import { TemplateError } from "./template-error.ts";

/**
 * - `text`: everything outside actions
 * - `open`, `close`: the delimiters of an action
 * - `word`: a keyword, a function or a constant
 * - `field`, `variable`: `.Name` and `$name`, without their sign
 * - `string`, `character`, `number`: literals
 * - `symbol`: `:=`, `|`, `(`, `)`, `=`, `,` and `.`
 */
export type TokenKind =
  | "text"
  | "open"
  | "close"
  | "word"
  | "field"
  | "variable"
  | "string"
  | "number"
  | "character"
  | "symbol";

export interface Token {
  readonly kind: TokenKind;
  /** The value of a string; the name of a field or variable without its sign; else the text itself. */
  readonly text: string;
  /** Line from 1, for messages. */
  readonly line: number;
  /** True after white space: `f .A` differs from `f.A`. */
  readonly spaced: boolean;
}

/** Single-letter escapes in quoted strings. */
const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  n: "\n",
  t: "\t",
  r: "\r",
  '"': '"',
  "'": "'",
  "\\": "\\",
};

const escapeForm = /\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)/gs;

/** Reads a string literal and returns its value. Text in back quotes has no escapes. */
function unquote(text: string, line: number): string {
  if (text.startsWith("`")) {
    return text.slice(1, -1);
  }
  return text.slice(1, -1).replace(escapeForm, (_, escaped: string) => {
    const known = escapes[escaped];
    if (known !== undefined) {
      return known;
    }
    if (escaped.length > 1) {
      const isOctal = /^\d/.test(escaped);
      const code = Number.parseInt(isOctal ? escaped : escaped.slice(1), isOctal ? 8 : 16);
      return code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
    }
    throw new TemplateError(`line ${line}: unknown escape \\${escaped}`);
  });
}

/** Patterns of tokens in actions, in the order in which they are tried. */
const patterns: readonly (readonly [kind: TokenKind, pattern: RegExp])[] = [
  ["string", /"(?:\\.|[^"\\\n])*"|`[^`]*`/y],
  ["character", /'(?:\\.[^']*|[^'\\\n])'/uy],
  [
    "number",
    /[+-]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO]?[0-7_]+(?![\d.eE])|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/y,
  ],
  ["variable", /\$[\p{L}\p{N}_]*/uy],
  ["field", /\.[\p{L}_][\p{L}\p{N}_]*/uy],
  ["word", /[\p{L}_][\p{L}\p{N}_]*/uy],
  ["symbol", /:=|[|()=,.]/y],
];

/**
 * Splits a template into tokens. `a {{- .B}}` gives text `a` (its blank is trimmed), open, field `B`, close.
 * Source: Go, package text/template
 */
export class TemplateLexer {
  readonly #source: string;
  readonly #open: string;
  readonly #close: string;
  readonly #tokens: Token[] = [];
  #at = 0;
  /** Line of the next character. */
  #line = 1;

  constructor(source: string, open: string, close: string) {
    this.#source = source;
    this.#open = open;
    this.#close = close;
  }

  /** @throws TemplateError */
  read(): Token[] {
    let trimNext = false;
    for (;;) {
      const start = this.#source.indexOf(this.#open, this.#at);
      const end = start === -1 ? this.#source.length : start;
      let text = this.#source.slice(this.#at, end);
      const after = end + this.#open.length;
      const trimBefore = start !== -1 && /^-\s/.test(this.#source.slice(after, after + 2));
      text = trimNext ? text.replace(/^\s+/, "") : text;
      text = trimBefore ? text.replace(/\s+$/, "") : text;
      if (text !== "") {
        this.#push("text", text, false);
      }
      this.#countLines(this.#source.slice(this.#at, end));
      if (start === -1) {
        return this.#tokens;
      }
      this.#at = after + (trimBefore ? 1 : 0);
      trimNext = this.#readAction();
    }
  }

  #push(kind: TokenKind, text: string, spaced: boolean): void {
    this.#tokens.push({ kind, text, line: this.#line, spaced });
  }

  #countLines(text: string): void {
    for (const character of text) {
      this.#line += character === "\n" ? 1 : 0;
    }
  }

  /** @returns true when leading white space of the following text is trimmed */
  #readAction(): boolean {
    const comment = /\s*\/\*[\s\S]*?\*\/(\s+-)?/y;
    comment.lastIndex = this.#at;
    const found = comment.exec(this.#source);
    if (found !== null && this.#source.startsWith(this.#close, comment.lastIndex)) {
      this.#countLines(found[0]);
      this.#at = comment.lastIndex + this.#close.length;
      return found[1] !== undefined;
    }
    this.#push("open", "", false);
    for (;;) {
      const space = /\s*/y;
      space.lastIndex = this.#at;
      const skipped = space.exec(this.#source)?.[0] ?? "";
      this.#countLines(skipped);
      this.#at += skipped.length;
      const trims = skipped !== "" && this.#source.startsWith(`-${this.#close}`, this.#at);
      if (trims || this.#source.startsWith(this.#close, this.#at)) {
        this.#at += this.#close.length + (trims ? 1 : 0);
        this.#push("close", "", false);
        return trims;
      }
      this.#readToken(skipped !== "");
    }
  }

  /** Reads one token. @throws TemplateError for a character that begins none */
  #readToken(spaced: boolean): void {
    if (this.#at >= this.#source.length) {
      throw new TemplateError(`line ${this.#line}: unclosed action`);
    }
    for (const [kind, pattern] of patterns) {
      pattern.lastIndex = this.#at;
      const text = pattern.exec(this.#source)?.[0];
      if (text !== undefined) {
        const value =
          kind === "string" || kind === "character"
            ? unquote(text, this.#line)
            : kind === "field" || kind === "variable"
              ? text.slice(1)
              : text;
        this.#push(kind, value, spaced);
        this.#countLines(text);
        this.#at += text.length;
        return;
      }
    }
    throw new TemplateError(
      `line ${this.#line}: unexpected ${JSON.stringify(this.#source.slice(this.#at, this.#at + 1))} in action`,
    );
  }
}

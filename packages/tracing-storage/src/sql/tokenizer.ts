/** A piece of SQL that means something; blanks and comments are left out. */
export interface Token {
  /** `symbol` is one character; `quoted` an identifier in double quotes or backticks. */
  readonly kind: "word" | "quoted" | "string" | "symbol";
  /** Upper case for words, without quotes for quoted identifiers, as it stands otherwise. */
  readonly text: string;
  /** Index of the first character, and of the one just past the token. */
  readonly start: number;
  readonly end: number;
}

const blankOrComment = /(?:[ \t\n\v\f\r\0]+|--[^\n]*|#[ !][^\n]*|\/\*[\s\S]*?\*\/)+/y;

const kinds: readonly (readonly [Token["kind"], RegExp])[] = [
  ["string", /\$(\w*)\$[\s\S]*?\$\1\$/y],
  ["string", /'(?:[^'\\]|\\[\s\S]|'')*'/y],
  ["word", /[\w$\u0080-\uffff]+/y],
  ["quoted", /"(?:[^"\\]|\\[\s\S]|"")*"|`(?:[^`\\]|\\[\s\S]|``)*`/y],
  ["symbol", /[\s\S]/y],
];

function matchAt(pattern: RegExp, sql: string, index: number): string | undefined {
  pattern.lastIndex = index;
  return pattern.exec(sql)?.[0];
}

function textOf(kind: Token["kind"], text: string): string {
  if (kind === "word") {
    return text.toUpperCase();
  }
  if (kind === "quoted") {
    const quote = text[0] ?? "";
    return text
      .slice(1, -1)
      .replaceAll(quote + quote, quote)
      .replace(/\\([\s\S])/g, "$1");
  }
  return text;
}

/**
 * Splits ClickHouse SQL into tokens, lazily: what follows `FORMAT x` of an insert is data and must not be read as SQL.
 * Finds the ends of words, strings and comments, nothing more; numbers are words. Never throws: an unclosed quote
 * is a symbol, and the engine's own parser will say what is wrong.
 * @param sql bytes as latin1 characters, so that an index is a byte's index
 * Source: ClickHouse src/Parsers/Lexer.cpp
 */
export function* tokenize(sql: string): Generator<Token, undefined> {
  let index = 0;
  for (;;) {
    index += matchAt(blankOrComment, sql, index)?.length ?? 0;
    if (index >= sql.length) {
      return;
    }
    for (const [kind, pattern] of kinds) {
      const text = matchAt(pattern, sql, index);
      if (text !== undefined) {
        const start = index;
        index += text.length;
        yield { kind, text: textOf(kind, text), start, end: index };
        break;
      }
    }
  }
}

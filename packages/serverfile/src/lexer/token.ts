/** The quote of a token: none, double quotes, backticks, or a heredoc (`<`). */
export type Quote = "" | '"' | "`" | "<";

/** A word of a serverfile, with its position. Tokens are never changed, because imports reuse a snippet's tokens. */
export interface Token {
  /** The word without its quotes, escapes and heredoc marks. */
  readonly text: string;
  /** File name in the form given on the command line; for an imported file, an absolute path. */
  readonly file: string;
  /** Line on which the token starts, from 1. */
  readonly line: number;
  /** Quote of the token. A quoted `{` is a word, not a brace. */
  readonly quote: Quote;
  /** The imports that led to the token, outermost first: `file:line (import name)`. */
  readonly imports: readonly string[];
  /** Name of the snippet that contains the token, or "". */
  readonly snippet: string;
}

/** A directive with its arguments and its block. */
export type Segment = readonly Token[];

/** True for a bare `{`, which opens a block. */
export function isOpenBrace(token: Token | undefined): boolean {
  return token !== undefined && token.text === "{" && token.quote === "";
}

/** True for a bare `}`, which closes a block. */
export function isCloseBrace(token: Token | undefined): boolean {
  return token !== undefined && token.text === "}" && token.quote === "";
}

/** The line on which a token ends; quoted words and heredocs may span several lines. */
function lastLine(token: Token): number {
  let line = token.quote === "<" ? token.line + 2 : token.line; // the marker's lines are no part of the text
  for (let at = token.text.indexOf("\n"); at !== -1; at = token.text.indexOf("\n", at + 1)) {
    line++;
  }
  return line;
}

/** True when two tokens have the same chain of imports. */
function sameImports(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((name, index) => name === b[index]));
}

/** True when `after` starts on a later line than the end of `before`, or comes from another import. */
export function startsNewLine(before: Token, after: Token): boolean {
  return (
    before.file !== after.file || !sameImports(before.imports, after.imports) || lastLine(before) < after.line
  );
}

/** The quote of a token: none, double quotes, backticks, or a heredoc (`<`). */
export type Quote = "" | '"' | "`" | "<";

/** One word of a serverfile, with where it came from. Never changed in place: a snippet's tokens are used many times. */
export interface Token {
  /** The word without its quotes, escapes and heredoc marks. */
  readonly text: string;
  /** File name as given on the command line; an absolute path for an imported file. */
  readonly file: string;
  /** Where it starts, counted from 1. */
  readonly line: number;
  /** How it was quoted. A quoted `{` is a word, not a brace. */
  readonly quote: Quote;
  /** The imports that brought it here, outermost first: `file:line (import name)`. */
  readonly imports: readonly string[];
  /** Name of the snippet it was written in, or "". */
  readonly snippet: string;
}

/** A directive with its arguments and its block. */
export type Segment = readonly Token[];

/** Whether it opens a block: a bare `{`. */
export function isOpenBrace(token: Token | undefined): boolean {
  return token !== undefined && token.text === "{" && token.quote === "";
}

/** Whether it closes a block: a bare `}`. */
export function isCloseBrace(token: Token | undefined): boolean {
  return token !== undefined && token.text === "}" && token.quote === "";
}

/** The line on which a token ends; quoted words and heredocs may span several. */
function lastLine(token: Token): number {
  let line = token.quote === "<" ? token.line + 2 : token.line; // the marker's lines are no part of the text
  for (let at = token.text.indexOf("\n"); at !== -1; at = token.text.indexOf("\n", at + 1)) {
    line++;
  }
  return line;
}

/** Whether two tokens came in by the same imports. */
function sameImports(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((name, index) => name === b[index]));
}

/** True when `after` begins on a later line than `before` ends, or comes from another import. */
export function startsNewLine(before: Token, after: Token): boolean {
  return (
    before.file !== after.file || !sameImports(before.imports, after.imports) || lastLine(before) < after.line
  );
}

// How the cursor's methods move on the tokens of
//
//     proxy a b {
//         to c
//     }
//
// | call | the cursor is afterwards on | result |
// |---|---|---|
// | `next()` | `proxy` | true |
// | `nextArgument()` twice | `b` | true |
// | `nextArgument()` | `b` | false: a brace is no argument |
// | `nextInBlock(0)` | `to` | true; `nesting` is 1 |
// | `argument()` | `c` | "c" |
// | `nextInBlock(0)` | `}` | false; `nesting` is 0 |

import { ServerError } from "server-core/errors";
import { isCloseBrace, isOpenBrace, type Segment, startsNewLine, type Token } from "./token.ts";

/** Moves over tokens by line and by block, and creates errors with file and line. */
export class TokenCursor {
  readonly #tokens: Token[];
  /** Index of the current token; -1 before the first token. */
  index = -1;
  /** Number of open blocks. */
  nesting = 0;
  /** Default name for a matcher's captures: the name of the enclosing named matcher. */
  readonly matcherName: string;

  constructor(tokens: Segment, matcherName = "") {
    this.#tokens = [...tokens];
    this.matcherName = matcherName;
  }

  get count(): number {
    return this.#tokens.length;
  }

  at(index: number): Token | undefined {
    return this.#tokens[index];
  }

  /** The current token; undefined before the first token. */
  get token(): Token | undefined {
    return this.at(this.index);
  }

  /** Text of the current token; "" without a token. */
  get value(): string {
    return this.at(this.index)?.text ?? "";
  }

  /** File of the current token; "" without a token. */
  get file(): string {
    return this.token?.file ?? "";
  }

  /** Line of the current token, from 1; 0 without a token. */
  get line(): number {
    return this.token?.line ?? 0;
  }

  /** Moves to the next token. @returns false after the last token */
  next(): boolean {
    if (this.index < this.count - 1) {
      this.index++;
      return true;
    }
    return false;
  }

  /** Moves back by one token, so that the next reader gets the current token again. */
  previous(): void {
    if (this.index > -1) {
      this.index--;
    }
  }

  /** Moves before the first token. */
  reset(): void {
    this.index = -1;
    this.nesting = 0;
  }

  /** Moves to the next token of the line, even if it is a brace. From the start, it moves to the first token. */
  #nextOnSameLine(): boolean {
    if (this.index < 0) {
      this.index++;
      return true;
    }
    const current = this.at(this.index);
    const next = this.at(this.index + 1);
    if (current === undefined || next === undefined || startsNewLine(current, next)) {
      return false;
    }
    this.index++;
    return true;
  }

  /** Moves to the next argument: a token on the same line that is not the brace of a block. */
  nextArgument(): boolean {
    if (!this.#nextOnSameLine()) {
      return false;
    }
    if (isOpenBrace(this.token)) {
      this.index--;
      return false;
    }
    return true;
  }

  /**
   * Opens a block, or moves to the next token in it: the first word of a line, if the previous line was read to its
   * end. The tokens of an inner block that was not read follow one by one.
   * @param outer nesting level outside the block
   */
  nextInBlock(outer: number): boolean {
    if (this.nesting > outer) {
      if (!this.next()) {
        return false;
      }
      if (isCloseBrace(this.token) && !this.#nextOnSameLine()) {
        this.nesting--;
      } else if (isOpenBrace(this.token) && !this.#nextOnSameLine()) {
        this.nesting++;
      }
      return this.nesting > outer;
    }
    if (!this.#nextOnSameLine()) {
      return false;
    }
    if (!isOpenBrace(this.token)) {
      this.index--;
      return false;
    }
    this.next();
    if (isCloseBrace(this.token)) {
      return false;
    }
    this.nesting++;
    return true;
  }

  /** The remaining arguments of the line; afterwards the cursor is on the last argument. */
  remainingArguments(): string[] {
    const values: string[] = [];
    while (this.nextArgument()) {
      values.push(this.value);
    }
    return values;
  }

  /** Like {@link remainingArguments}, but each value keeps its double quotes or backticks. */
  remainingRaw(): string[] {
    const values: string[] = [];
    while (this.nextArgument()) {
      const quote = this.token?.quote ?? "";
      values.push(quote === '"' || quote === "`" ? `${quote}${this.value}${quote}` : this.value);
    }
    return values;
  }

  /** Number of remaining arguments of the line; the cursor does not move. */
  countRemainingArguments(): number {
    const start = this.index;
    let count = 0;
    while (this.nextArgument()) {
      count++;
    }
    this.index = start;
    return count;
  }

  /** Returns the next argument. @throws ServerError when the line has none */
  argument(): string {
    if (!this.nextArgument()) {
      throw this.argumentError();
    }
    return this.value;
  }

  /** Returns the only argument of the line. @throws ServerError for a line with no argument or several arguments */
  onlyArgument(): string {
    const value = this.argument();
    if (this.nextArgument()) {
      this.previous();
      throw this.argumentError();
    }
    return value;
  }

  /** Returns all remaining arguments. @throws ServerError for a line without an argument */
  someArguments(): string[] {
    const values = this.remainingArguments();
    if (values.length === 0) {
      throw this.argumentError();
    }
    return values;
  }

  /** @throws ServerError when the line has another argument */
  noMoreArguments(): void {
    if (this.nextArgument()) {
      throw this.argumentError();
    }
  }

  /** The current token with its arguments and its block; afterwards the cursor is on the last of these tokens. */
  nextSegment(): Segment {
    const segment: Token[] = [];
    const add = () => this.token !== undefined && segment.push(this.token);
    add();
    while (this.nextArgument()) {
      add();
    }
    let opened = false;
    for (const outer = this.nesting; this.nextInBlock(outer); ) {
      if (!opened) {
        this.index--;
        add();
        this.index++;
        opened = true;
      }
      add();
    }
    if (opened) {
      add();
    }
    return segment;
  }

  /** A new cursor over the tokens of {@link nextSegment}. */
  segmentCursor(): TokenCursor {
    return new TokenCursor(this.nextSegment(), this.matcherName);
  }

  /** Removes the last `count` tokens up to the current one, and moves back. */
  delete(count = 1): void {
    this.#tokens.splice(this.index - count + 1, count);
    this.index -= count;
  }

  /** True when the current token starts a line. */
  isNewLine(): boolean {
    const current = this.at(this.index);
    const previous = this.at(this.index - 1);
    return (
      this.index < 1 || (current !== undefined && previous !== undefined && startsNewLine(previous, current))
    );
  }

  /** True when the current token is the last of its line. */
  isNextOnNewLine(): boolean {
    const current = this.at(this.index);
    const next = this.at(this.index + 1);
    return current !== undefined && (next === undefined || startsNewLine(current, next));
  }

  /** Creates an error with file, line, and the chain of imports. */
  error(message: string, cause?: unknown): ServerError {
    const imports = this.token?.imports ?? [];
    const chain = imports.length === 0 ? "" : ` import chain ['${imports.join("','")}']`;
    return new ServerError("CONFIG_ADAPTER", `${message}, at ${this.file}:${this.line}${chain}`, {
      cause,
      place: { file: this.file, line: this.line, word: this.value },
    });
  }

  /** Like {@link error}, but with the position of the first token. */
  errorAtStart(message: string): ServerError {
    this.index = 0;
    return this.error(message);
  }

  /** The error for a line with too few or too many arguments, with Caddy's message. */
  argumentError(): ServerError {
    return this.error(
      isOpenBrace(this.token)
        ? "unexpected token '{', expecting argument"
        : `wrong argument count or unexpected line ending after '${this.value}'`,
    );
  }

  /** The error for an unexpected token. @param expected the token that would be valid */
  syntaxError(expected: string): ServerError {
    return this.error(`syntax error: unexpected token '${this.value}', expecting '${expected}'`);
  }

  /** The error for a text that ends too early. */
  endError(): ServerError {
    return this.error("unexpected EOF");
  }
}

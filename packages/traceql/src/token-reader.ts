import { lex, type Token } from "./lexer.ts";
import { traceQlLimits } from "./limits.ts";
import { type TextPlace, TraceQlError } from "./traceql-error.ts";

/**
 * Reads the tokens of one query. Tracks depth and size of the tree, and the positions of its nodes. All parsers of a
 * query use the same reader. Positions are stored outside of the tree, so that equal texts give equal trees.
 */
export class TokenReader {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #places = new WeakMap<object, TextPlace>();
  #index = 0;
  #depth = 0;
  #nodes = 0;

  /** @throws TraceQlError */
  constructor(text: string) {
    this.#text = text;
    this.#tokens = lex(text);
  }

  /** The current token. After the last token, it is always the `end` token. */
  get next(): Token {
    return this.#tokens[this.#index] as Token;
  }

  /** The token after `next`. */
  get following(): Token | undefined {
    return this.#tokens[this.#index + 1];
  }

  /** Returns the current token, and moves to the next token. */
  take(): Token {
    const token = this.next;
    if (token.kind !== "end") {
      this.#index++;
    }
    return token;
  }

  /** True when the current token is this symbol. */
  isSymbol(text: string): boolean {
    return this.next.kind === "symbol" && this.next.text === text;
  }

  /** True when the current token is this word. The comparison is case-sensitive. */
  isWord(text: string): boolean {
    return this.next.kind === "word" && this.next.text === text;
  }

  /** Takes the current token if it is this symbol. @returns true when it was taken */
  accept(symbol: string): boolean {
    if (!this.isSymbol(symbol)) {
      return false;
    }
    this.#index++;
    return true;
  }

  /** @throws TraceQlError when the symbol is not next */
  expect(symbol: string): void {
    if (!this.accept(symbol)) {
      throw this.unexpected(symbol);
    }
  }

  /** The error for the current token. @param expected tokens that would be valid */
  unexpected(...expected: readonly string[]): TraceQlError {
    const token = this.next;
    const seen = token.kind === "end" ? "$end" : token.kind === "symbol" ? token.text : named(token);
    const wanted = expected.length === 0 ? "" : `, expecting ${expected.join(" or ")}`;
    return this.error(`syntax error: unexpected ${seen}${wanted}`, placeOf(token));
  }

  /** An error at a position of the query. */
  error(reason: string, place: TextPlace): TraceQlError {
    return new TraceQlError(reason, this.#text, place);
  }

  /** An error that points at a part of the tree. */
  errorAt(node: object, reason: string): TraceQlError {
    return this.error(reason, this.#places.get(node) ?? placeOf(this.next));
  }

  /** Offset of the current token. */
  get offset(): number {
    return this.next.offset;
  }

  /**
   * Records the position of a node of the tree, from `offset` to the token that was read last.
   * @throws TraceQlError when the tree has too many parts
   */
  placed<Node extends object>(node: Node, offset: number): Node {
    const last = this.#tokens[Math.max(0, this.#index - 1)] as Token;
    const place = { offset, length: last.offset + last.text.length - offset };
    if (++this.#nodes > traceQlLimits.nodes) {
      throw this.error(`the query has more than ${traceQlLimits.nodes} fields, values and operators`, place);
    }
    this.#places.set(node, place);
    return node;
  }

  /**
   * Offset at which a node of the tree starts; for a node without a recorded position, the offset of the current token.
   */
  offsetOf(node: object): number {
    return this.#places.get(node)?.offset ?? this.offset;
  }

  /**
   * Reads a nested part, and counts its depth.
   * @throws TraceQlError when the part is nested too deep
   */
  within<Result>(read: () => Result): Result {
    if (++this.#depth > traceQlLimits.depth) {
      throw this.error(`the query is nested deeper than ${traceQlLimits.depth}`, placeOf(this.next));
    }
    const result = read();
    this.#depth--;
    return result;
  }
}

function placeOf(token: Token): TextPlace {
  return { offset: token.offset, length: token.text.length };
}

/** A token in the form of Tempo's messages: `IDENTIFIER foo`, `INT 5`. */
function named(token: Token): string {
  const kind = token.kind === "word" ? "IDENTIFIER" : token.kind.toUpperCase();
  const shown = token.text.length > 60 ? `${token.text.slice(0, 60)}…` : token.text;
  return `${kind} ${shown}`;
}

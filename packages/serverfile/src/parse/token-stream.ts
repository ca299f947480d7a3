import type { Segment, Token } from "../lexer/token.ts";
import { TokenCursor } from "../lexer/token-cursor.ts";

/**
 * A cursor that can replace tokens at its position without moving all later tokens. One list has the tokens before the
 * last change; a second list has the tokens after it, in reverse order.
 */
export class TokenStream extends TokenCursor {
  readonly #before: Token[] = [];
  /** Tokens after the last change, in reverse order. */
  readonly #after: Token[];

  constructor(tokens: Segment) {
    super([]);
    this.#after = tokens.toReversed();
  }

  override get count(): number {
    return this.#before.length + this.#after.length;
  }

  override at(index: number): Token | undefined {
    const past = index - this.#before.length;
    return past < 0 ? this.#before[index] : this.#after[this.#after.length - 1 - past];
  }

  /** Returns all tokens, including imported ones. */
  all(): Token[] {
    return [...this.#before, ...this.#after.toReversed()];
  }

  /** Replaces `count` tokens by `tokens`. `start` is the index of the first replaced token. */
  replace(start: number, count: number, tokens: Segment): void {
    while (this.#before.length > start) {
      this.#after.push(this.#before.pop() as Token);
    }
    while (this.#before.length < start) {
      this.#before.push(this.#after.pop() as Token);
    }
    this.#after.length -= count;
    for (let index = tokens.length - 1; index >= 0; index--) {
      this.#after.push(tokens[index] as Token);
    }
  }
}

import { ServerError } from "server-core/errors";
import type { Segment } from "../lexer/token.ts";
import { maxTokens } from "../lexer/tokenize.ts";

/** Maximum number of imports in one text, including nested imports. A text with more is refused. */
export const maxImports = 10_000;
/** Maximum number of characters of all imported words, including arguments. Above it, the text is refused. */
export const maxImportedCharacters = 32 * 1024 * 1024;

/** Graph of imports between files and snippets, to detect cycles. */
export class ImportGraph {
  /** The imports of each file or snippet. A snippet is named `file:name`. */
  readonly #targets = new Map<string, Set<string>>();
  /** Number of imports of the whole text until now. */
  #imports = 0;
  /** Number of imported tokens until now. */
  #tokens = 0;
  /** Number of characters in all these tokens. */
  #characters = 0;

  /**
   * Counts an import against the limits, because nested snippets can grow exponentially.
   * @param tokens the imported tokens
   * @throws ServerError CONFIG_ADAPTER above {@link maxImports}, {@link maxTokens} or {@link maxImportedCharacters},
   * counted over all imports of a text
   */
  count(tokens: Segment, place: string): void {
    this.#imports++;
    this.#tokens += tokens.length;
    for (const { text } of tokens) {
      this.#characters += text.length;
    }
    const what =
      this.#imports > maxImports
        ? `more imports than the limit of ${maxImports}`
        : this.#tokens > maxTokens
          ? `imports bring in more tokens than the limit of ${maxTokens}`
          : this.#characters > maxImportedCharacters
            ? `imports bring in more characters than the limit of ${maxImportedCharacters}`
            : undefined;
    if (what !== undefined) {
      throw new ServerError("CONFIG_ADAPTER", `${what}, at ${place}`);
    }
  }

  /** True when imports lead from `from` to `goal`, directly or indirectly. */
  #reaches(from: string, goal: string): boolean {
    const seen = new Set<string>();
    const open = [from];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (name === goal) {
        return true;
      }
      if (!seen.has(name)) {
        seen.add(name);
        open.push(...(this.#targets.get(name) ?? []));
      }
    }
    return false;
  }

  /** @throws ServerError CONFIG_ADAPTER when `to` already leads to `from` */
  add(from: string, to: readonly string[], place: string): void {
    const targets = this.#targets.get(from) ?? new Set();
    this.#targets.set(from, targets);
    for (const target of to) {
      if (!targets.has(target) && this.#reaches(target, from)) {
        throw new ServerError(
          "CONFIG_ADAPTER",
          `a cycle of imports exists between ${from} and ${target}, at ${place}`,
        );
      }
      targets.add(target);
    }
  }
}

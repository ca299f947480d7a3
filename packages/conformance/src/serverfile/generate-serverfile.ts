import type { Grammar } from "./grammar/grammar.ts";
import type { RandomSource } from "./random-source.ts";
import { serverfileGrammar, serverfileMistakes } from "./serverfile-grammar.ts";

const maxDepth = 14;
const reference = /<(\w+)([?*+]?)>/g;

function countFor(mark: string, random: RandomSource): number {
  switch (mark) {
    case "?":
      return random.below(2);
    case "*":
      return random.below(4);
    case "+":
      return 1 + random.below(3);
    default:
      return 1;
  }
}

/**
 * In a third of the texts, about one symbol of this many is replaced by a mistake, if the grammar has a mistake for it.
 */
const soundPerMistake = 25;

/** Generates one text. */
class Generator {
  readonly #random: RandomSource;
  readonly #grammar: Grammar;
  readonly #mistakes: Grammar;

  constructor(random: RandomSource, grammar: Grammar, mistakes: Grammar) {
    this.#random = random;
    this.#grammar = grammar;
    this.#mistakes = mistakes;
  }

  #pick(symbol: string, choices: readonly string[], depth: number): string {
    if (depth > maxDepth) {
      return choices[0] ?? "";
    }
    const mistakes = this.#mistakes[symbol];
    return this.#random.pick(
      mistakes !== undefined && this.#random.below(soundPerMistake) === 0 ? mistakes : choices,
    );
  }

  text(symbol: string, depth: number): string {
    const choices = this.#grammar[symbol];
    if (choices === undefined) {
      return `<${symbol}>`;
    }
    return this.#pick(symbol, choices, depth).replace(reference, (_all, inner: string, mark: string) => {
      const count = depth > maxDepth && mark !== "" && mark !== "+" ? 0 : countFor(mark, this.#random);
      return Array.from({ length: count }, () => this.text(inner, depth + 1)).join("");
    });
  }
}

/** A text that the grammar allows; some texts have mistakes. At a great depth the shortest texts are chosen. */
export function generateServerfile(random: RandomSource): string {
  const makesMistakes = random.below(3) === 0;
  return new Generator(random, serverfileGrammar, makesMistakes ? serverfileMistakes : {}).text("file", 0);
}

/** Generates a text of any grammar, without mistakes. */
export function generateText(random: RandomSource, grammar: Grammar, symbol: string): string {
  return new Generator(random, grammar, {}).text(symbol, 0);
}

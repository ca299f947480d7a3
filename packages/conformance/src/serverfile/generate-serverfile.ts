import type { RandomSource } from "./random-source.ts";
import { serverfileGrammar } from "./serverfile-grammar.ts";

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

/** A text that the grammar allows for a symbol. Deep down the shortest way is taken. */
export function generateServerfile(random: RandomSource, symbol = "file", depth = 0): string {
  const choices = serverfileGrammar[symbol];
  if (choices === undefined) {
    return `<${symbol}>`;
  }
  const text = depth > maxDepth ? (choices[0] ?? "") : random.pick(choices);
  return text.replace(reference, (_all, inner: string, mark: string) => {
    const count = depth > maxDepth && mark !== "" && mark !== "+" ? 0 : countFor(mark, random);
    return Array.from({ length: count }, () => generateServerfile(random, inner, depth + 1)).join("");
  });
}

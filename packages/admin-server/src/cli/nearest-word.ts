/** Maximum number of wrong letters in a word for which a similar word is suggested. */
const maxMistakes = 2;

/** Edit distance: number of inserted, removed or replaced letters between two words. */
function mistakes(given: string, wanted: string): number {
  let row = Array.from({ length: wanted.length + 1 }, (_, index) => index);
  for (let at = 1; at <= given.length; at++) {
    const next = [at];
    for (let column = 1; column <= wanted.length; column++) {
      const exchanged = (row[column - 1] ?? 0) + (given[at - 1] === wanted[column - 1] ? 0 : 1);
      next.push(Math.min(exchanged, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[wanted.length] ?? 0;
}

/**
 * The word that the user probably meant: it differs in at most two letters, or starts with the given text. `relaod`
 * gives `reload`, `val` gives `validate`, `xyz` gives undefined.
 */
export function nearestWord(given: string, words: readonly string[]): string | undefined {
  if (given === "" || given.length > 64) {
    return undefined;
  }
  const near = words
    .map((word) => ({ word, count: mistakes(given, word) }))
    .filter(({ word, count }) => count <= Math.min(maxMistakes, word.length - 1))
    .sort((a, b) => a.count - b.count)[0]?.word;
  return near ?? words.find((word) => word.startsWith(given));
}

/** `; did you mean "x"?`, or "" when no word is near. */
export function didYouMean(given: string, words: readonly string[], mark = ""): string {
  const word = nearestWord(given, words);
  return word === undefined ? "" : `; did you mean ${mark}${word}?`;
}

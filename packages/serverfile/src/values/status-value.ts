/** True when a single argument is a status code: three characters that are a positive number. */
export function isStatusWord(word: string): boolean {
  return /^[+]?\d+$/.test(word) && word.length === 3 && Number(word) > 0;
}

/** The JSON of a status: a number, a boolean, or the word for a placeholder. */
export function statusValue(word: string): number | boolean | string {
  if (word === "true" || word === "false") {
    return word === "true";
  }
  return /^[+-]?\d+$/.test(word) && Number.isSafeInteger(Number(word)) ? Number(word) || 0 : word;
}

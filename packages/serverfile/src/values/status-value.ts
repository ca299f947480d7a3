/** Whether a lone argument is a status code: three characters that are a positive number. */
export function isStatusWord(word: string): boolean {
  return /^[+]?\d+$/.test(word) && word.length === 3 && Number(word) > 0;
}

/** A status as it stands in the JSON: a number when it is one, else (a placeholder) the word. */
export function statusValue(word: string): number | boolean | string {
  if (word === "true" || word === "false") {
    return word === "true";
  }
  return /^[+-]?\d+$/.test(word) && Number.isSafeInteger(Number(word)) ? Number(word) || 0 : word;
}

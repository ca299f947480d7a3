/** Quotes a text for a shell. Inside single quotes only the quote needs escaping. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Several words as one quoted text. */
export function quotedWords(words: readonly string[]): string {
  return quoted(words.join(" "));
}

/** Quotes a text for a shell. Inside single quotes only the quote needs escaping. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Words in one quoted list. */
export function quotedWords(words: readonly string[]): string {
  return quoted(words.join(" "));
}

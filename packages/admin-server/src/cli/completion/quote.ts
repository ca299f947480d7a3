/** In single quotes a shell takes all but the quote itself as it is. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Words in one quoted list. */
export function quotedWords(words: readonly string[]): string {
  return quoted(words.join(" "));
}

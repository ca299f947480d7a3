/**
 * Writes a text so that the filter of a trace reads it as one word. The text gets quotes where the filter would read
 * several words, a comparison, an exclusion or `OR`. Quotes inside the text would end the word, so they are left out.
 */
export function filterWord(text: string): string {
  return /^[\p{L}\p{N}_./:][\p{L}\p{N}_./:-]*$/u.test(text) && text !== "OR"
    ? text
    : `"${text.replaceAll('"', "")}"`;
}

/**
 * Characters without a glyph, and characters that change the text direction. Source: Unicode 17, categories Cf and Cc
 */
const invisible = /[\p{Cf}\p{Cc}]/gu;
/** At most this many letters are named; `…` replaces the others. A text may contain thousands of invisible letters. */
const mostTold = 5;

/**
 * Lists the invisible letters of a text, each once: `U+200B, U+202E`; "" without any. Line ends and tabs do not
 * count, nor do the joiners used in emoji and Persian.
 */
export function invisibleLetters(text: string): string {
  const found = new Set<string>();
  for (const [letter] of text.matchAll(invisible)) {
    if (!/[\t\n\r\u200c\u200d]/.test(letter)) {
      found.add(letter);
    }
  }
  const names = [...found].map(
    (letter) => `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`,
  );
  return names.length > mostTold ? `${names.slice(0, mostTold).join(", ")} …` : names.join(", ");
}

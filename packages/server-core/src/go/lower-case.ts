function lowerCharacter(character: string): string {
  if (/\p{Surrogate}/u.test(character)) {
    return "\ufffd";
  }
  const lower = character.toLowerCase();
  return character === "\u0130" ? "i" : lower;
}

/**
 * Converts a text to lower case, character by character: U+0130 becomes `i`, and a sigma at the end of a word is not
 * special. A lone surrogate, which represents a byte that is not UTF-8, becomes U+FFFD.
 * Source: Go, `strings.ToLower`
 */
export function lowerCase(text: string): string {
  return /[^\0-\x7f]/.test(text) ? Array.from(text, lowerCharacter).join("") : text.toLowerCase();
}

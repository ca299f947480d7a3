function lowerCharacter(character: string): string {
  if (/\p{Surrogate}/u.test(character)) {
    return "\ufffd";
  }
  const lower = character.toLowerCase();
  return character === "\u0130" ? "i" : lower;
}

/**
 * The lower case of a text, character by character: U+0130 is `i`, and a sigma is the same at the end of a word. A lone
 * surrogate, which stands for a byte that is no UTF-8, becomes U+FFFD.
 * Source: Go, `strings.ToLower`
 */
export function lowerCase(text: string): string {
  return /[^\0-\x7f]/.test(text) ? Array.from(text, lowerCharacter).join("") : text.toLowerCase();
}

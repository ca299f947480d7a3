/** Kinds of each character, by its code; characters outside of ASCII are letters. */
const classes = new Uint8Array(128);

export const isDigitBit = 1;
export const isLetterBit = 2;
export const isHexBit = 4;
/** A character of base64url. */
export const isUrlSafeBit = 8;
/** A character of an access token after `Bearer`. Source: RFC 6750, section 2.1 */
export const isTokenBit = 16;
/** A character before the `@` of an address: atext of RFC 5322 without the characters that end a part of a URL. */
export const isLocalBit = 32;
/** A character of a host name. */
export const isHostBit = 64;

function mark(characters: string, bits: number): void {
  for (const character of characters) {
    const code = character.charCodeAt(0);
    classes[code] = (classes[code] ?? 0) | bits;
  }
}

const digits = "0123456789";
const hexLetters = "abcdefABCDEF";
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
mark(digits, isDigitBit);
mark(letters, isLetterBit);
mark(digits + hexLetters, isHexBit);
mark(`${digits}${letters}-_`, isUrlSafeBit);
mark(`${digits}${letters}-_.~+/=`, isTokenBit);
mark(`${digits}${letters}.!#$'*+_^~-`, isLocalBit);
mark(`${digits}${letters}-.`, isHostBit);

const pastAscii = isLetterBit | isLocalBit | isHostBit;

/** The bits of the character at `index`; 0 outside of the text. */
export function classAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code < 128) {
    return classes[code] as number;
  }
  return code >= 128 ? pastAscii : 0;
}

export const isWordBits = isDigitBit | isLetterBit;

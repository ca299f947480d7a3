import { isUtf8 } from "node:buffer";

/**
 * Number of bytes at `at` that form one UTF-8 character; 0 when they are not valid UTF-8. Source: RFC 3629, section 4
 */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) {
    return 1;
  }
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (at + length > bytes.length) {
    return 0;
  }
  for (let index = 1; index < length; index++) {
    const next = bytes[at + index] ?? 0;
    // The second byte has a narrower range after some first bytes. This excludes overlong forms, surrogates and numbers
    // above U+10FFFF.
    const low = index > 1 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const high = index > 1 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    if (next < low || next > high) {
      return 0;
    }
  }
  return length;
}

/**
 * Decodes bytes as UTF-8 without loss: a byte that is not valid UTF-8 becomes a lone surrogate from U+DC80 to U+DCFF.
 * Encoded as UTF-8, such a surrogate becomes U+FFFD; {@link bufferOfText} restores the byte. Source: Python, PEP 383
 */
export function textOfBuffer(bytes: Buffer): string {
  if (isUtf8(bytes)) {
    return bytes.toString("utf8");
  }
  const units = new Uint16Array(bytes.length);
  let count = 0;
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0;
    const length = characterLength(bytes, at);
    let code = length === 0 ? 0xdc00 + first : first & (length === 1 ? 0x7f : 0x7f >> length);
    for (let index = 1; index < length; index++) {
      code = (code << 6) | ((bytes[at + index] ?? 0) & 0x3f);
    }
    if (code > 0xffff) {
      units[count++] = 0xd7c0 + (code >> 10);
      code = 0xdc00 + (code & 0x3ff);
    }
    units[count++] = code;
    at += length || 1;
  }
  return Buffer.from(units.buffer, 0, count * 2).toString("utf16le");
}

/** Encodes a text as UTF-8; a lone surrogate from U+DC80 to U+DCFF becomes the byte that it represents. */
export function bufferOfText(text: string): Buffer {
  if (text.isWellFormed()) {
    return Buffer.from(text, "utf8");
  }
  // The text is first encoded as plain UTF-8, and then overwritten in place: a restored byte is shorter than the U+FFFD
  // in its place.
  const bytes = Buffer.from(text, "utf8");
  let to = 0;
  let from = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0xdc80 && code <= 0xdcff) {
      bytes[to++] = code - 0xdc00;
      from += 3;
      continue;
    }
    const end = from + (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);
    while (from < end) {
      bytes[to++] = bytes[from++] ?? 0;
    }
  }
  return bytes.subarray(0, to);
}

/** Like {@link textOfBuffer}. @param bytes one character for each byte */
export function textOfBytes(bytes: string): string {
  return /[\x80-\xff]/.test(bytes) ? textOfBuffer(Buffer.from(bytes, "latin1")) : bytes;
}

/** Like {@link bufferOfText}, but returns a text with one character for each byte. */
export function bytesOfText(text: string): string {
  return /[^\0-\x7f]/.test(text) ? bufferOfText(text).toString("latin1") : text;
}

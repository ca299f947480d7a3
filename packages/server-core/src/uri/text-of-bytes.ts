/**
 * How many bytes at `at` are one character of UTF-8; 0 where they are none.
 * Source: RFC 3629, section 4
 */
function characterLength(bytes: string, at: number): number {
  const first = bytes.charCodeAt(at);
  if (first < 0x80) {
    return 1;
  }
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (at + length > bytes.length) {
    return 0;
  }
  for (let index = 1; index < length; index++) {
    const next = bytes.charCodeAt(at + index);
    // Overlong forms, surrogates and numbers above U+10FFFF begin with these second bytes.
    const low = index > 1 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const high = index > 1 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    if (next < low || next > high) {
      return 0;
    }
  }
  return length;
}

/**
 * Decodes bytes as UTF-8 without loss: a byte that is no UTF-8 becomes one of the lone surrogates U+DC80 to U+DCFF.
 * Printed as UTF-8 these are U+FFFD; {@link bytesOfText} makes the byte of them again.
 * @param bytes one character for each byte
 * Source: Python, PEP 383
 */
export function textOfBytes(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes)) {
    return bytes;
  }
  const text = Buffer.from(bytes, "latin1").toString("utf8");
  if (!text.includes("\ufffd")) {
    return text;
  }
  const parts: string[] = [];
  let start = 0;
  let at = 0;
  const take = () => parts.push(Buffer.from(bytes.slice(start, at), "latin1").toString("utf8"));
  while (at < bytes.length) {
    const length = characterLength(bytes, at);
    if (length === 0) {
      take();
      parts.push(String.fromCharCode(0xdc00 + bytes.charCodeAt(at)));
      start = at + 1;
    }
    at += length || 1;
  }
  take();
  return parts.join("");
}

/** The bytes of a text, one character for each: UTF-8, and for U+DC80 to U+DCFF alone the byte they stand for. */
export function bytesOfText(text: string): string {
  if (text.isWellFormed()) {
    return /[^\0-\x7f]/.test(text) ? Buffer.from(text, "utf8").toString("latin1") : text;
  }
  return text
    .split(/(\p{Surrogate})/u)
    .map((part, index) => {
      const code = part.charCodeAt(0);
      return index % 2 === 1 && code >= 0xdc80 && code <= 0xdcff
        ? String.fromCharCode(code - 0xdc00)
        : Buffer.from(part, "utf8").toString("latin1");
    })
    .join("");
}

import { isUtf8 } from "node:buffer";

/** Number of bytes of a character, by its first byte; 1 for an invalid first byte. */
function characterBytes(first: number): number {
  if (first >= 0xf0) {
    return 4;
  }
  if (first >= 0xe0) {
    return 3;
  }
  return first >= 0xc0 ? 2 : 1;
}

/**
 * Converts a statement to text for the engine's binding. The literals of a statement may contain any bytes; for
 * example, `SHOW CREATE TABLE` prints them unchanged, and its output must be a valid statement. Bytes that are not
 * UTF-8 become escapes, which have the same meaning in a literal.
 */
export function utf8Text(bytes: Buffer): string {
  if (isUtf8(bytes)) {
    return bytes.toString("utf8");
  }
  let text = "";
  let copied = 0;
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] as number;
    const end = at + characterBytes(first);
    if (first < 0x80 || (end <= bytes.length && isUtf8(bytes.subarray(at, end)))) {
      at = end;
      continue;
    }
    const before = bytes.toString("utf8", copied, at);
    // A backslash before such a byte is also escaped, because it does not belong to the new escape.
    const isEscaped = /(?<!\\)(?:\\\\)*\\$/.test(before);
    text += `${before}${isEscaped ? "\\" : ""}\\x${first.toString(16)}`;
    copied = ++at;
  }
  return text + bytes.toString("utf8", copied);
}

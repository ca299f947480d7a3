import { isUtf8 } from "node:buffer";

/** How many bytes a character has, by its first one; 1 where no character begins so. */
function characterBytes(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}

/**
 * A statement as the engine's binding takes it, which is text. Literals of a statement may hold any bytes (`SHOW CREATE TABLE` prints them as
 * they are, and what it prints must be a statement again): those that are no UTF-8 become escapes, which say the same in a literal.
 */
export function utf8Text(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
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
    // A backslash before such a byte is one itself, as the two are no escape.
    const isEscaped = /(?<!\\)(?:\\\\)*\\$/.test(before);
    text += `${before}${isEscaped ? "\\" : ""}\\x${first.toString(16)}`;
    copied = ++at;
  }
  return text + bytes.toString("utf8", copied);
}

import { TraceQlError } from "./traceql-error.ts";

/** Escapes with one letter after the backslash. Source: Go specification, "Rune literals" */
const plainEscapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
};

/** Number of hex digits after each letter: `\x41`, `\u00e9`, `\U0001f600`. */
const hexDigits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/**
 * Reads a string in Go's form: in double quotes with escapes, or in backquotes without escapes.
 * @param offset offset of the first quote
 * @returns in `end` the position after the last quote
 * @throws TraceQlError
 */
export function readQuotedText(
  text: string,
  offset: number,
): { readonly value: string; readonly end: number } {
  const notTerminated = () =>
    new TraceQlError("literal not terminated", text, { offset, length: text.length - offset });
  if (text.charAt(offset) === "`") {
    const end = text.indexOf("`", offset + 1);
    if (end === -1) {
      throw notTerminated();
    }
    return { value: text.slice(offset + 1, end), end: end + 1 };
  }
  let value = "";
  let index = offset + 1;
  while (index < text.length) {
    const character = text.charAt(index);
    if (character === '"') {
      return { value, end: index + 1 };
    }
    if (character === "\n") {
      throw notTerminated();
    }
    if (character !== "\\") {
      value += character;
      index++;
      continue;
    }
    const escaped = escapeAt(text, index);
    value += escaped.value;
    index = escaped.end;
  }
  throw notTerminated();
}

/**
 * Reads an escape that starts with a backslash. `\x` and octal escapes stand for the character with this number:
 * `"\xe9"` is "é". In Go, they would stand for a single byte. A surrogate, such as `\ud800`, is refused.
 * @param offset of the backslash
 */
function escapeAt(text: string, offset: number): { readonly value: string; readonly end: number } {
  const letter = text.charAt(offset + 1);
  const plain = plainEscapes[letter];
  if (plain !== undefined) {
    return { value: plain, end: offset + 2 };
  }
  const octal = /^[0-3][0-7]{2}/.exec(text.slice(offset + 1, offset + 4))?.[0];
  if (octal !== undefined) {
    return { value: String.fromCharCode(Number.parseInt(octal, 8)), end: offset + 4 };
  }
  const digits = hexDigits[letter];
  if (digits !== undefined) {
    const hex = text.slice(offset + 2, offset + 2 + digits);
    const code = new RegExp(`^[0-9a-fA-F]{${digits}}$`).test(hex) ? Number.parseInt(hex, 16) : -1;
    if (code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)) {
      return { value: String.fromCodePoint(code), end: offset + 2 + digits };
    }
  }
  throw new TraceQlError("invalid escape sequence", text, { offset, length: 2 });
}

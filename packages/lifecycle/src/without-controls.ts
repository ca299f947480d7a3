/** Escape sequences of JSON, and control characters that JSON does not escape. */
const escaped = /\\(?:u([0-9a-f]{4})|.)|[\u007f-\u009f]/gi;

/**
 * Replaces the control characters in a line of the log (JSON) by visible text. A message may contain text from an
 * untrusted sender. A terminal would execute control characters, and could then show events that never happened. Line
 * ends and tabs stay, because stacks contain them; they are indented.
 * @param line line of the log in pino's form
 */
export function withoutControls(line: string): string {
  return line.replace(escaped, (text, hex: string | undefined) => {
    if (text.length === 1) {
      return `\\\\u00${text.charCodeAt(0).toString(16)}`;
    }
    if (hex !== undefined) {
      return Number.parseInt(hex, 16) < 0x20 ? `\\${text}` : text;
    }
    return /^\\[bfr]$/.test(text) ? `\\${text}` : text;
  });
}

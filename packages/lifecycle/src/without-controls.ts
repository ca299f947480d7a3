/** Escape sequences of JSON, and control characters that JSON does not escape. */
const escaped = /\\(?:u([0-9a-f]{4})|.)|[\u007f-\u009f]/gi;

/**
 * A line of the log (JSON) with its control characters as text. A message may contain text of a stranger, and
 * a terminal would obey control characters in it and show events that did not happen. Line ends and tabs
 * stay, because stacks need them; they are indented.
 * @param line as pino writes it
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

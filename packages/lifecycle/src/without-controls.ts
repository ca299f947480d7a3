/** What JSON writes with a backslash, and the control characters that it does not. */
const escaped = /\\(?:u([0-9a-f]{4})|.)|[\u007f-\u009f]/gi;

/**
 * A line of a log, JSON, in which control characters stand as text, so that who reads it on a terminal cannot be shown
 * what did not happen: a message may repeat what a stranger sent, and terminals obey such characters. Ends of lines and
 * tabs stay: stacks have them, and are indented.
 * @param line as pino writes it
 */
export function withoutControls(line: string): string {
  return line.replace(escaped, (text, hex: string | undefined) => {
    if (text.length === 1) return `\\\\u00${text.charCodeAt(0).toString(16)}`;
    if (hex !== undefined) return Number.parseInt(hex, 16) < 0x20 ? `\\${text}` : text;
    return /^\\[bfr]$/.test(text) ? `\\${text}` : text;
  });
}

import type { LogValue } from "../log-entry.ts";

/**
 * A value as JSON that every reader accepts: a lone surrogate, which stands for a byte that is not UTF-8, becomes
 * U+FFFD. `JSON.stringify` writes a lone surrogate as an escape, and strict readers then refuse the whole line.
 */
export function jsonText(value: LogValue): string {
  const json = JSON.stringify(value);
  // The pattern matches every escape in turn, so that `\\ud800` after an escaped backslash is not taken for a
  // surrogate.
  return json.includes("\\ud") ? json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, wellFormed) : json;
}

function wellFormed(written: string): string {
  return written.length > 2 ? "\\ufffd" : written;
}

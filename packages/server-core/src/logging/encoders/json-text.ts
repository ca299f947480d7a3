import type { LogValue } from "../log-entry.ts";

/**
 * A value as JSON that every reader takes: a lone surrogate, which stands for a byte that is no UTF-8, is U+FFFD. JSON of
 * JavaScript writes it as an escape, at which strict readers refuse the whole line.
 */
export function jsonText(value: LogValue): string {
  const json = JSON.stringify(value);
  // Escapes are read in turn, so that an escaped backslash before `ud` is none of them.
  return json.includes("\\ud") ? json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, wellFormed) : json;
}

function wellFormed(written: string): string {
  return written.length > 2 ? "\\ufffd" : written;
}

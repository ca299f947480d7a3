import type { AdapterWarning } from "server-core/adapters/config-adapter";
import { formatServerfile } from "./format-serverfile.ts";

/**
 * Number of UTF-16 units that both texts have in common at their start. Comparing halves uses the engine's fast string
 * comparison.
 */
function commonPrefixLength(a: string, b: string): number {
  let same = 0;
  let differs = Math.min(a.length, b.length) + 1;
  while (differs - same > 1) {
    const middle = (same + differs) >> 1;
    if (a.slice(same, middle) === b.slice(same, middle)) {
      same = middle;
    } else {
      differs = middle;
    }
  }
  return same;
}

/**
 * Warns about an unformatted text, with the first line that differs from its standard form; undefined for a formatted
 * text. Windows line breaks are not a difference.
 */
export function formattingWarning(file: string, text: string): AdapterWarning | undefined {
  const given = text.replaceAll("\r\n", "\n");
  const formatted = formatServerfile(given);
  if (formatted === given) {
    return undefined;
  }
  const end = commonPrefixLength(given, formatted);
  let line = 1;
  for (let at = given.indexOf("\n"); at !== -1 && at < end; at = given.indexOf("\n", at + 1)) {
    line++;
  }
  const message = "Serverfile input is not formatted; run 'server fmt --overwrite' to fix inconsistencies";
  return { file, line, message };
}

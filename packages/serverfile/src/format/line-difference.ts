import { diff } from "node:util";

/**
 * Compares two texts by line: `- ` marks lines of the first text, `+ ` lines of the second text, two blanks lines of
 * both. `server fmt --diff` prints the result.
 */
export function lineDifference(before: string, after: string): string {
  const signs = { "1": "- ", "0": "  ", "-1": "+ " } as const;
  const lines = diff(before.split("\n"), after.split("\n"));
  return `${lines.map(([sign, line]) => signs[sign] + line).join("\n")}\n`;
}

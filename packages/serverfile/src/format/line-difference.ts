import { diff } from "node:util";

/**
 * Compares two texts by line: `- ` marks lines only in the first, `+ ` only in the second, two blanks lines in both.
 * `server fmt --diff` prints it.
 */
export function lineDifference(before: string, after: string): string {
  const signs = { "1": "- ", "0": "  ", "-1": "+ " } as const;
  const lines = diff(before.split("\n"), after.split("\n"));
  return `${lines.map(([sign, line]) => signs[sign] + line).join("\n")}\n`;
}

import type { Comparison } from "./compare.ts";

const shown = (value: unknown) => {
  const text = value === undefined ? "(nothing)" : JSON.stringify(value);
  return text.length > 400 ? `${text.slice(0, 400)} …` : text;
};

/**
 * The result of a comparison as text: each unknown difference under its question, then a line with counts.
 * @param list file name of the list of known differences
 */
export function verdictText(
  { unknown, known, stale, questions }: Comparison,
  list = "known-differences.json",
): string {
  const lines: string[] = [];
  let last = "";
  for (const { question, path, theirs, ours } of unknown) {
    if (question !== last) {
      lines.push(question);
    }
    last = question;
    lines.push(`  ${path === "" ? "(the whole answer)" : path}`);
    lines.push(`    public model: ${shown(theirs)}`, `    ours:         ${shown(ours)}`);
  }
  for (const pattern of stale) {
    lines.push(`${list}: ${JSON.stringify(pattern)} matches no difference any more; remove it`);
  }
  lines.push(
    `${questions} answers compared: ${unknown.length} unknown differences, ${known} known ones, ${stale.length} patterns without any`,
  );
  return lines.join("\n");
}

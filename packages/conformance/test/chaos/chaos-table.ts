import type { ChaosRow } from "./run-case.ts";

const columns = [
  "acknowledged",
  "found",
  "missing",
  "twice",
  "refused",
  "unanswered",
  "over UDP",
  "stored",
  "dropped",
  "normal after",
] as const;

const nameWidth = 30;

/** Writes the table's first line with the names of the columns. */
export function tableHead(): string {
  return `${"case".padEnd(nameWidth)}${columns.map((column) => column.padStart(14)).join("")}`;
}

/** One line of the table, with further lines for problems and notes. */
export function tableLines(row: ChaosRow): string {
  const name = row.case.padEnd(nameWidth);
  if (row.skipped !== undefined) {
    return `${name}  skipped: ${row.skipped}`;
  }
  const { agent } = row;
  const cells = [
    ...[row.acknowledged, row.found, row.missing, row.twice, row.refused, row.unanswered],
    ...[agent?.sent ?? "-", agent?.found ?? "-", agent?.dropped ?? "-"],
    row.secondsToNormal === undefined ? "never" : `${row.secondsToNormal.toFixed(1)} s`,
  ];
  const line = `${name}${cells.map((cell) => String(cell).padStart(14)).join("")}  ${row.isOk ? "ok" : "NOT OK"}`;
  return [line, ...[...row.problems, ...(agent?.notes ?? [])].map((text) => `    ${text}`)].join("\n");
}

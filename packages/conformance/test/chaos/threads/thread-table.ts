import type { ThreadRow } from "./run-thread-case.ts";

const columns = [
  "deaths",
  "steps",
  "with thread",
  "lost",
  "cut early",
  "refused",
  "reloads",
  "longest hole",
] as const;

const nameWidth = 30;

/** Writes the table's first line with the names of the columns. */
export function threadTableHead(): string {
  return `${"case".padEnd(nameWidth)}${columns.map((column) => column.padStart(14)).join("")}`;
}

/** One line of the table, with further lines for problems. */
export function threadTableLines(row: ThreadRow): string {
  const hole = row.longestHoleMs === 0 ? "-" : `${row.longestHoleMs} ms`;
  const cells = [
    ...[row.deaths, row.steps, row.endedWithThread, row.lost, row.cutEarly, row.refused, row.reloads],
    hole,
  ];
  const line = `${row.case.padEnd(nameWidth)}${cells.map((cell) => String(cell).padStart(14)).join("")}  ${row.isOk ? "ok" : "NOT OK"}`;
  return [line, ...row.problems.map((text) => `    ${text}`)].join("\n");
}

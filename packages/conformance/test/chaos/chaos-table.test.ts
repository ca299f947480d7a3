import { expect, test } from "vitest";
import { casesNamed, chaosCases } from "./chaos-cases.ts";
import { tableHead, tableLines } from "./chaos-table.ts";
import type { ChaosRow } from "./run-case.ts";

const row: ChaosRow = {
  case: "kill/storage",
  ...{ acknowledged: 120, refused: 3, unanswered: 7, found: 120, missing: 0, twice: 0 },
  agent: { sent: 10, delivered: 8, dropped: 2, found: 8, twice: 0, notes: [], problems: [] },
  ...{ secondsToNormal: 1.5, isOk: true, problems: [] },
};

/** The cells of a line by the columns' names. */
function cells(line: string): Record<string, string> {
  const names = [
    "case",
    ...tableHead()
      .trim()
      .split(/\s{2,}/)
      .slice(1),
  ];
  return Object.fromEntries(names.map((name, index) => [name, line.trim().split(/\s{2,}/)[index] ?? ""]));
}

test("a row stands below the names of its columns", () => {
  expect(cells(tableLines(row))).toEqual({
    ...{ case: "kill/storage", acknowledged: "120", found: "120", missing: "0", twice: "0", refused: "3" },
    ...{ unanswered: "7", "over UDP": "10", stored: "8", dropped: "2", "normal after": "1.5 s" },
  });
  expect(tableLines(row)).toMatch(/ {2}ok$/);
});

test("what is wrong, what never ended, and what did not run is said", () => {
  const bad = { ...row, secondsToNormal: undefined, isOk: false, problems: ["storage ended"] };
  expect(tableLines(bad)).toMatch(/never {2}NOT OK\n {4}storage ended$/);
  expect(tableLines({ ...row, skipped: "needs a disk" })).toMatch(/^kill\/storage +skipped: needs a disk$/);
});

test("cases are found by the beginning of their names, and all names differ", () => {
  expect(casesNamed([], chaosCases)).toBe(chaosCases);
  expect(casesNamed(["kill/", "cut/query"], chaosCases).map(({ name }) => name)).toEqual([
    ...[
      "kill/storage",
      "kill/collector-1",
      "kill/collector-2",
      "kill/agent",
      "kill/query",
      "kill/admin-server",
    ],
    "cut/query-storage",
  ]);
  expect(() => casesNamed(["kil/storage"], chaosCases)).toThrow('no case begins with "kil/storage"');
  expect(new Set(chaosCases.map(({ name }) => name)).size).toBe(chaosCases.length);
});

import { expect, test } from "vitest";
import type { ThreadRow } from "./run-thread-case.ts";
import { threadTableHead, threadTableLines } from "./thread-table.ts";

const row: ThreadRow = {
  case: "threads/together",
  ...{ deaths: 3, steps: 1000, endedWithThread: 9, lost: 1, refused: 0, cutEarly: 2, reloads: 4 },
  longestHoleMs: 321,
  isOk: false,
  problems: ["events of thread 7: the server closed the connection"],
};

test("a row stands under its head, with its problems below", () => {
  const [line = "", problem] = threadTableLines(row).split("\n");
  expect(line.replace(/ +NOT OK$/, "").length).toBe(threadTableHead().length);
  expect(line.split(/ {2,}/)).toEqual([
    "threads/together",
    "3",
    "1000",
    "9",
    "1",
    "2",
    "0",
    "4",
    "321 ms",
    "NOT OK",
  ]);
  expect(problem).toBe("    events of thread 7: the server closed the connection");
  expect(threadTableLines({ ...row, longestHoleMs: 0, isOk: true, problems: [] })).toMatch(/ - {2}ok$/);
});

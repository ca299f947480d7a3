import { expect, test } from "vitest";
import { traceOf } from "../testing/trace-of.ts";
import { buildTrace } from "./build-trace.ts";
import { RowWindow } from "./row-window.ts";
import { rowOf, visibleRows } from "./visible-rows.ts";

/** 0 ─ 1 ─ 2, 0 ─ 3, 4 */
const trace = buildTrace({
  traceID: "t",
  processes: { p1: { serviceName: "s", tags: [] } },
  spans: ([["0"], ["1", "0"], ["2", "1"], ["3", "0"], ["4"]] as const).map(([spanID, parent], index) => ({
    traceID: "t",
    spanID,
    operationName: spanID,
    references: parent === undefined ? [] : [{ refType: "CHILD_OF", traceID: "t", spanID: parent }],
    startTime: index,
    duration: 1,
    tags: [],
    logs: [],
    processID: "p1",
    warnings: null,
  })),
});

test.each([
  ["nothing folded", [], undefined, [0, 1, 2, 3, 4]],
  ["a branch folded", [1], undefined, [0, 1, 3, 4]],
  ["a fold within a fold", [0, 1], undefined, [0, 4]],
  ["a filter", [], [1, 0, 0, 1, 0], [0, 3]],
  ["a filter and a fold", [0], [1, 0, 0, 1, 1], [0, 4]],
])("rows with %s", (_, folded, shown, expected) => {
  const rows = visibleRows(trace, new Set(folded), shown && Uint8Array.from(shown));
  expect([...rows]).toEqual(expected);
});

test("a span is found among the rows, or not", () => {
  const rows = Int32Array.from([0, 3, 4, 9]);
  expect([0, 3, 9, 5, -1].map((span) => rowOf(rows, span))).toEqual([0, 1, 3, -1, -1]);
});

test("rows lie one below the other, panels push down what follows", () => {
  const window = new RowWindow(10, 22, [
    { row: 4, height: 300 },
    { row: 1, height: 100 },
  ]);
  expect([0, 1, 2, 4, 5, 9].map((row) => window.top(row))).toEqual([0, 22, 144, 188, 510, 598]);
  expect(window.height).toBe(620);
});

test("every height belongs to the row or the panel drawn there", () => {
  const window = new RowWindow(10, 22, [{ row: 1, height: 100 }]);
  expect([-5, 0, 43, 44, 143, 144, 10_000].map((y) => window.rowAt(y))).toEqual([0, 0, 1, 1, 1, 2, 9]);
  expect(new RowWindow(0, 22, []).rowAt(50)).toBe(0);
});

test("of a folded run only the head is shown, unless a filter is after single spans", () => {
  const run = traceOf([
    ["root", undefined, 0, 900],
    ...Array.from({ length: 20 }, (_, index) => [`s${index}`, "root", 10 + index, 1, "SELECT"] as const),
    ["below", "s3", 13, 1, "parse"],
    ["last", "root", 800, 1, "COMMIT"],
  ]);
  const none = new Set<number>();
  expect([...visibleRows(run, none, undefined, none)]).toEqual([0, 1, 22]);
  expect(visibleRows(run, none, undefined, new Set([1])).length).toBe(23);
  expect(visibleRows(run, none, new Uint8Array(23).fill(1), none).length).toBe(23);
});

import { expect, test } from "vitest";
import { traceOf } from "../../../testing/trace-of.ts";
import { visibleRows } from "../../../trace/visible-rows.ts";
import { siblingPlaces } from "./sibling-places.ts";

const trace = traceOf([
  ["root", undefined, 0, 100],
  ["a", "root", 1, 40],
  ["a1", "a", 2, 5],
  ["a2", "a", 8, 5],
  ["b", "root", 50, 10],
  ["other root", undefined, 90, 10],
]);

test("rows are counted among those of their parent, roots among roots", () => {
  const { position, size } = siblingPlaces(trace, visibleRows(trace, new Set()));
  expect([...position]).toEqual([1, 1, 1, 2, 2, 2]);
  expect([...size]).toEqual([2, 2, 2, 2, 2, 2]);
});

test("only rows that are shown count", () => {
  const shown = new Uint8Array([1, 1, 0, 1, 0, 0]);
  const { position, size } = siblingPlaces(trace, visibleRows(trace, new Set(), shown));
  expect([...position]).toEqual([1, 1, 1]);
  expect([...size]).toEqual([1, 1, 1]);
  expect(siblingPlaces(trace, new Int32Array()).size).toHaveLength(0);
});

import { expect, test } from "vitest";
import { RowWindow } from "../../../trace/row-window.ts";
import { rowsInView } from "./waterfall-rows.ts";

test.each([
  ["the start", 0, { first: 0, last: 44 }],
  ["the middle", 22 * 5_000, { first: 4_988, last: 5_044 }],
  ["the end", 22 * 9_970, { first: 9_956, last: 9_999 }],
])("at %s only rows near the view exist", (_, scrollTop, expected) => {
  expect(rowsInView(new RowWindow(10_000, 22, []), 10_000, scrollTop, 700)).toEqual(expected);
});

test("no rows, and a window that is not laid out yet", () => {
  expect(rowsInView(new RowWindow(0, 22, []), 0, 0, 700)).toEqual({ first: 0, last: -1 });
  expect(rowsInView(new RowWindow(3, 22, []), 3, 0, 0)).toEqual({ first: 0, last: 2 });
});

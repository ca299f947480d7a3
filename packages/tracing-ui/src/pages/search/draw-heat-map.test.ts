import { expect, test } from "vitest";
import type { HeatMap } from "../../api/analysis.ts";
import { cellStrength, rowRange } from "./draw-heat-map.ts";

const map = (...cells: HeatMap["cells"]): HeatMap => ({
  ...{ start: 0, end: 10, columns: 10, columnWidth: 1, spans: 1, errors: 0 },
  cells,
});

test("the rows shown are those with spans and one above, at least eight", () => {
  expect(rowRange(map([0, 10, 1, 0], [3, 30, 1, 0]))).toEqual({ from: 10, to: 31 });
  expect(rowRange(map([0, 20, 1, 0]))).toEqual({ from: 17, to: 24 });
  expect(rowRange(map([0, 0, 1, 0]))).toEqual({ from: 0, to: 7 });
  expect(rowRange(map([0, 63, 1, 0])).to).toBe(63);
  expect(rowRange(map())).toEqual({ from: 14, to: 30 });
});

test("one span beside a million is still seen", () => {
  expect(cellStrength(1, 1_000_000)).toBeGreaterThan(0.1);
  expect(cellStrength(1_000_000, 1_000_000)).toBe(1);
  expect(cellStrength(1, 1)).toBeGreaterThan(0.5);
});

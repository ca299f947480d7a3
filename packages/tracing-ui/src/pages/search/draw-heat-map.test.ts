import { expect, test, vi } from "vitest";
import type { HeatMap } from "../../api/analysis.ts";
import { cellStrength, drawHeatMap, rowRange } from "./draw-heat-map.ts";

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

test("a cell whose spans all failed is wholly red, another one only along its foot", () => {
  vi.stubGlobal("window", { devicePixelRatio: 1 });
  try {
    const painted: [colour: string, top: number, height: number][] = [];
    const context = {
      fillStyle: "",
      fillRect(_left: number, top: number, _width: number, height: number) {
        painted.push([this.fillStyle, top, height]);
      },
    };
    const canvas = { width: 0, height: 0, getContext: () => context } as unknown as HTMLCanvasElement;
    drawHeatMap(canvas, map([0, 1, 4, 4], [1, 0, 4, 1]), {
      ...{ rows: { from: 0, to: 1 }, colours: { spans: "blue", error: "red" } },
      size: { width: 50, height: 40 },
    });
    expect(painted).toEqual([
      ["red", 0, 20],
      ["blue", 20, 20],
      ["red", 32, 8],
    ]);
  } finally {
    vi.unstubAllGlobals();
  }
});

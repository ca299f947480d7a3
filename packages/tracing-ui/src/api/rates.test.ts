import { expect, test } from "vitest";
import { chunksOfNames, ratesOf, stepMs } from "./rates.ts";

test("a page becomes curves, with nothing where nothing was called", () => {
  const minute = 60_000;
  const figures = { calls: 150, errors: 30, p50: 2_500, p95: 4_000, p99: 4_100 };
  const curve: [number, number, number, number, number, number][] = [
    [0, 120, 30, 2_000, 3_000, 3_100],
    [2, 30, 0, 2_600, 4_000, 4_100],
  ];
  const answer = {
    total: 1_500,
    start: 0,
    step: 2 * minute,
    steps: 3,
    names: [{ name: "busy", ...figures, curve }],
  };
  const { times, rows, total } = ratesOf(answer, { endMs: 5 * minute, lookbackMs: 5 * minute });
  expect([times, total]).toEqual([[2 * minute, 4 * minute, 5 * minute], 1_500]);
  expect(rows).toEqual([
    {
      ...{ service: "busy", operation: "", calls: [1, null, 0.5], errors: [0.25, null, 0] },
      ...{ p50: [2_000, null, 2_600], p95: [3_000, null, 4_000], p99: [3_100, null, 4_100] },
      whole: { calls: 0.5, errors: 0.2, p50: 2_500, p95: 4_000, p99: 4_100 },
    },
  ]);
  const [operation] = ratesOf(answer, { service: "shop", endMs: 0, lookbackMs: minute }).rows;
  expect([operation?.service, operation?.operation]).toEqual(["shop", "busy"]);
});

test.each([
  [300e3, 60_000],
  [3_600e3, 120_000],
  [86_400e3, 1_800_000],
])("a step of %d ms is whole minutes", (lookback, step) => {
  expect(stepMs(lookback)).toBe(step);
});

test("names are asked for in as many requests as their addresses need", () => {
  const names = (count: number, letters: number) =>
    Array.from({ length: count }, (_, index) => `${index}`.padStart(letters, "x"));
  const sizes = (list: readonly string[]) => chunksOfNames(list).map(({ length }) => length);
  expect(sizes([])).toEqual([]);
  expect(sizes(names(250, 4))).toEqual([100, 100, 50]);
  expect(sizes(names(3, 2_000))).toEqual([1, 1, 1]);
  expect(chunksOfNames(names(7, 900)).flat()).toEqual(names(7, 900));
});

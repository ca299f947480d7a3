import { formatDuration } from "ui-kit/format/format-duration.ts";
import { expect, test } from "vitest";
import { tickText, timeTicks } from "./time-ticks.ts";

test.each([
  ["a second and a half", 0, 1_840_000, 5, [0, 500_000, 1_000_000, 1_500_000]],
  ["a zoomed range", 1_210_000, 1_240_000, 4, [1_210_000, 1_220_000, 1_230_000, 1_240_000]],
  ["some microseconds", 0, 9, 5, [0, 2, 4, 6, 8]],
  ["minutes", 0, 600e6, 5, [0, 120e6, 240e6, 360e6, 480e6, 600e6]],
  ["no length", 5, 5, 5, [5]],
])("ticks over %s", (_, from, to, most, expected) => {
  expect(timeTicks(from, to, most)).toEqual(expected);
});

test("a month-long trace still has few ticks", () => {
  expect(timeTicks(0, 30 * 86_400e6, 5).length).toBeLessThanOrEqual(6);
});

test("labels drop needless zeros", () => {
  const label = (us: number) => tickText(us, formatDuration(us)).replace("\u00a0", " ");
  expect([0, 500_000, 1_000_000, 1_500_000, 100_000, 120e6].map(label)).toEqual([
    "0",
    "500 ms",
    "1 s",
    "1.5 s",
    "100 ms",
    "2m",
  ]);
});

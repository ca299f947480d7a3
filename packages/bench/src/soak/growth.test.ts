import { expect, test } from "vitest";
import { growthOf, type Point } from "./growth.ts";

function run(valueAt: (minute: number) => number): Point[] {
  return Array.from({ length: 60 }, (_, minute) => ({ seconds: minute * 60, value: valueAt(minute) }));
}

/** A number between -1 and 1; the same minute gives the same number. */
const noise = (minute: number) => Math.sin(minute * 12.9898);

test.each<[string, (minute: number) => number, boolean]>([
  ["stays", () => 200, false],
  ["comes and goes", (minute) => 200 + 20 * noise(minute), false],
  ["grows at first and levels off", (minute) => 200 * (1 - Math.exp(-minute / 6)), false],
  ["has one peak at the end", (minute) => (minute === 59 ? 900 : 200), false],
  ["is given back before the end", (minute) => (minute < 50 ? 200 + 2 * minute : 230), false],
  ["sinks", (minute) => 400 - minute, false],
  ["grows through noise", (minute) => 200 + minute + 10 * noise(minute), true],
  ["grows slowly, below what is worth a word", (minute) => 10 + minute / 20, false],
])("what %s", (_name, valueAt, isGrowing) => {
  expect(growthOf(run(valueAt), 4).isGrowing).toBe(isGrowing);
});

test("tells how much", () => {
  expect(
    growthOf(
      run((minute) => 100 + 2 * minute),
      4,
    ),
  ).toEqual({
    ...{ median: 189, isGrowing: true },
    grown: expect.closeTo(58, 6),
    perHour: expect.closeTo(120, 6),
  });
});

test("says nothing of a run without points", () => {
  expect(growthOf([], 4)).toEqual({ median: 0, grown: 0, perHour: 0, isGrowing: false });
});

import { expect, test } from "vitest";
import { nextRoll, parseTimeOfDay } from "./roll-schedule.ts";

const at = (hours: number, minutes: number, day = 4) => new Date(2026, 2, day, hours, minutes).getTime();
const none = { everyMs: 0, minutes: [], daily: [] };

test.each([
  [none, Number.POSITIVE_INFINITY],
  [{ ...none, everyMs: 60_000 }, at(10, 21)],
  [{ ...none, minutes: [0, 30] }, at(10, 30)],
  [{ ...none, minutes: [20] }, at(11, 20)],
  [{ ...none, daily: [0] }, at(0, 0, 5)],
  [{ ...none, daily: [600, 630] }, at(10, 30)],
  [{ everyMs: 3_600_000, minutes: [45], daily: [0] }, at(10, 45)],
])("%j", (schedule, expected) => {
  expect(nextRoll(schedule, at(10, 20))).toBe(expected);
});

test.each([
  ["00:00", 0],
  ["7:05", 425],
  ["23:59", 1439],
  ["24:00", undefined],
  ["x", undefined],
])("time of day %s", (text, expected) => {
  expect(parseTimeOfDay(text)).toBe(expected);
});

import { expect, test } from "vitest";
import { parseGoTime } from "./parse-go-time.ts";

const utc = (...parts: [number, number, number?, number?, number?, number?, number?]) => Date.UTC(...parts);
const local = (...parts: [number, number, number?, number?, number?, number?]) =>
  new Date(...parts).getTime();

test.each<[layout: string, text: string, ms: number | undefined]>([
  ["2006-01-02", "2020-02-28", local(2020, 1, 28)],
  ["2006-01-02T15:04:05Z07:00", "2020-02-28T01:02:03Z", utc(2020, 1, 28, 1, 2, 3)],
  ["2006-01-02T15:04:05Z07:00", "2020-02-28T01:02:03.25+02:00", utc(2020, 1, 27, 23, 2, 3, 250)],
  ["15:04:05.000 2.1.06 MST", "01:02:03.004 5.6.99 UTC", utc(1999, 5, 5, 1, 2, 3, 4)],
  ["Mon, 02 Jan 2006 15:04:05 -0700", "Fri, 28 Feb 2020 01:02:03 -0130", utc(2020, 1, 28, 2, 32, 3)],
  ["January _2 2006 3:04 PM", "march  5 2021 12:30 am", local(2021, 2, 5, 0, 30)],
  ["2006-002 -07", "2020-060 +00", utc(2020, 1, 29)],
  ["02/Jan/2006:15:04:05 -0700", "x", undefined],
  ["2006-01-02", "2020-02-30", undefined],
  ["2006-01-02", "2020-13-01", undefined],
  ["2006-01-02", "2020-02-28 ", undefined],
  ["15:04", "24:00", undefined],
])("%s reads %j", (layout, text, ms) => {
  expect(parseGoTime(layout, text)).toBe(ms);
});

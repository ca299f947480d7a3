import { expect, test } from "vitest";
import { formatGoTime } from "./go-time.ts";

const time = new Date("2026-03-04T05:06:07.089Z");

test.each([
  ["2006-01-02T15:04:05Z07:00", 0, "2026-03-04T05:06:07Z"],
  ["2006-01-02T15:04:05Z07:00", -90, "2026-03-04T03:36:07-01:30"],
  ["Mon, 02 Jan 2006 15:04:05 MST", 0, "Wed, 04 Mar 2026 05:06:07 UTC"],
  ["Monday January 2 3:04:05 PM", 0, "Wednesday March 4 5:06:07 AM"],
  ["02/Jan/2006:15:04:05 -0700", 120, "04/Mar/2026:07:06:07 +0200"],
  ["15:04:05.000", 0, "05:06:07.089"],
  ["15:04:05.999999", 0, "05:06:07.089"],
  ["15:04:05,0", 0, "05:06:07,0"],
  ["_2 1 06 4 5 pm", 720, " 4 3 26 6 7 pm"],
  ["no layout", 0, "no layout"],
  ["2006-002 __2", 0, "2026-063  63"],
])("%s", (layout, offset, expected) => {
  expect(formatGoTime(time, layout, offset)).toBe(expected);
});

test("milliseconds with parts of them", () => {
  const ms = time.getTime() + 0.123;
  expect(formatGoTime(ms, "15:04:05.000000000")).toBe("05:06:07.089123000");
  expect(formatGoTime(ms, "15:04:05.999999999")).toBe("05:06:07.089123");
});

import { expect, test } from "vitest";
import { OptionValues } from "./command.ts";
import { timeRangeOf } from "./time-range.ts";

const now = Date.UTC(2026, 0, 31, 12);
const rangeOf = (values: Record<string, string>) =>
  timeRangeOf(new OptionValues({ since: "1h", ...values }), now);

test.each([
  [{}, -3_600_000, 0],
  [{ since: "7d" }, -7 * 86_400_000, 0],
  [{ end: "2026-01-31T11:00:00Z", since: "90s" }, -3_690_000, -3_600_000],
  [{ start: "1769857200" }, -3_600_000, 0],
])("%j", (values, start, end) => {
  expect(rangeOf(values)).toEqual({ startMs: now + start, endMs: now + end });
});

test.each([
  [{ since: "soon" }, '--since: "soon" is no duration'],
  [{ since: "-1h" }, '--since: "-1h" is no duration'],
  [{ start: "yesterday" }, '--start: "yesterday" is no time'],
  [{ start: "2027-01-01T00:00:00Z" }, "the beginning is not before the end"],
])("%j is refused", (values, message) => {
  expect(() => rangeOf(values)).toThrow(message);
});

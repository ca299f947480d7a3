import { expect, test } from "vitest";
import { retryTime } from "./retry-time.ts";

const now = Date.UTC(2026, 0, 1);
const dayMs = 86_400_000;

test.each([
  ["120", 120_000],
  [" 1 ", 1_000],
  ["Thu, 01 Jan 2026 01:00:00 GMT", 3_600_000],
  ["604800", dayMs],
  [`9${"0".repeat(400)}`, dayMs],
  ["Thu, 01 Jan 2099 00:00:00 GMT", dayMs],
])("Retry-After %j is kept to, for a day at most", (value, pauseMs) => {
  expect(retryTime(value, now)).toBe(now + pauseMs);
});

test.each(["", "0", "-5", "1.5", "soon", "2027-01-01", "Wed, 31 Dec 2025 00:00:00 GMT", "99 GMT"])(
  "Retry-After %j says nothing",
  (value) => {
    expect(retryTime(value, now)).toBeUndefined();
  },
);

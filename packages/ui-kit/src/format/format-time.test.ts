import { expect, test } from "vitest";
import { clockText, dateText, dateTimeFieldText, parseDateTimeField, zoneLabel } from "./format-time.ts";

const us = Date.UTC(2026, 10, 21, 14, 2, 11, 204) * 1_000 + 318;

test("prints day and clock to the millisecond or the microsecond", () => {
  expect(dateText(us, "utc")).toBe("2026-11-21");
  expect(clockText(us, "utc")).toBe("14:02:11.204");
  expect(clockText(us, "utc", 6)).toBe("14:02:11.204318");
});

test("a time no Date can hold is a dash, not a crash", () => {
  expect(clockText(1e30, "utc")).toBe("–");
  expect(dateText(Number.NaN, "local")).toBe("–");
});

test.each(["utc", "local"] as const)("a date-time field in %s comes back as it was written", (zone) => {
  const whole = Math.floor(us / 1_000_000) * 1_000_000;
  expect(parseDateTimeField(dateTimeFieldText(whole, zone), zone)).toBe(whole);
});

test("an unfinished field has no time", () => {
  expect(parseDateTimeField("", "utc")).toBeUndefined();
  expect(parseDateTimeField("2026-11-21", "utc")).toBeUndefined();
});

test("the local zone is named by its distance from UTC", () => {
  const at = (offset: number) => ({ getTimezoneOffset: () => offset }) as Date;
  expect(zoneLabel("utc", at(-120))).toBe("UTC");
  expect(zoneLabel("local", at(-120))).toBe("UTC+2");
  expect(zoneLabel("local", at(210))).toBe("UTC−3:30");
  expect(zoneLabel("local", at(0))).toBe("UTC+0");
});

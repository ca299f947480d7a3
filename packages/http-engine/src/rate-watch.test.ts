import { expect, test } from "vitest";
import { RateWatch } from "./rate-watch.ts";

test("bytes buy time, after a head start of the idle timeout", () => {
  const watch = new RateWatch(1_000, 500);
  expect(watch.isTooSlow(1_100, 500, true, { minRate: 1_000, idleTimeoutMs: 100 })).toBe(false);
  expect(watch.isTooSlow(1_300, 700, true, { minRate: 1_000, idleTimeoutMs: 100 })).toBe(false);
  expect(watch.isTooSlow(1_301, 700, true, { minRate: 1_000, idleTimeoutMs: 100 })).toBe(true);
});

test("time in which nobody waits does not count", () => {
  const watch = new RateWatch(0, 0);
  expect(watch.isTooSlow(100_000, 0, false, { minRate: 1, idleTimeoutMs: 100 })).toBe(false);
  expect(watch.isTooSlow(100_101, 0, true, { minRate: 1, idleTimeoutMs: 100 })).toBe(true);
});

test("without a rate nothing is too slow, without an idle timeout there is a minute", () => {
  expect(new RateWatch(0, 0).isTooSlow(1_000_000, 0, true, { minRate: 0, idleTimeoutMs: 100 })).toBe(false);
  expect(new RateWatch(0, 0).isTooSlow(60_000, 0, true, { minRate: 1, idleTimeoutMs: 0 })).toBe(false);
  expect(new RateWatch(0, 0).isTooSlow(60_001, 0, true, { minRate: 1, idleTimeoutMs: 0 })).toBe(true);
});

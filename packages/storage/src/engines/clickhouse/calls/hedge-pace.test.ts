import { expect, test } from "vitest";
import { HedgePace } from "./hedge-pace.ts";

const limits = { firstMs: 1_000, leastMs: 20, factor: 2, share: 0.5, burst: 2 };

test("waits for the 95th percentile of the kind, as soon as it is known", () => {
  const pace = new HedgePace(limits);
  expect(pace.begin("search")).toBe(1_000);
  for (let ms = 1; ms <= 100; ms++) {
    pace.answered("search", ms);
  }
  expect(pace.begin("search")).toBe(2 * 96);
  expect(pace.begin("trace")).toBe(1_000);
  for (let call = 0; call < 20; call++) {
    pace.answered("trace", 1);
  }
  expect(pace.begin("trace")).toBe(20);
  // New durations replace old ones, and no wait is longer than 5 seconds.
  for (let call = 0; call < 200; call++) {
    pace.answered("search", 60_000);
  }
  expect(pace.begin("search")).toBe(5_000);
});

test("allows a share of all calls, and some at once after a time without any", () => {
  const pace = new HedgePace(limits);
  for (let call = 0; call < 10; call++) {
    pace.begin("search");
  }
  expect([pace.take(), pace.take(), pace.take()]).toEqual([true, true, false]);
  pace.begin("trace");
  expect(pace.take()).toBe(false);
  pace.begin("trace");
  expect([pace.take(), pace.take()]).toEqual([true, false]);
});

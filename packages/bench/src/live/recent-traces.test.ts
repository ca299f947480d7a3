import { expect, test } from "vitest";
import { RecentTraces } from "./recent-traces.ts";

test("a trace is noted when the one before it is old enough, and found by its age", () => {
  const traces = new RecentTraces(100);
  expect(traces.newest()).toBeUndefined();
  traces.note(() => "a", 1_000);
  traces.note(() => {
    throw new Error("read for nothing");
  }, 1_099);
  traces.note(() => "b", 1_100);
  expect(traces.newest()?.id).toBe("b");
  expect(traces.newestOfAge(50, 1_149)?.id).toBe("a");
  expect(traces.newestOfAge(50, 1_150)?.id).toBe("b");
  expect(traces.newestOfAge(500, 1_499)).toBeUndefined();
});

test("the oldest half goes when there are too many", () => {
  const traces = new RecentTraces(1);
  for (let at = 0; at <= 50_000; at++) {
    traces.note(() => String(at), at);
  }
  expect(traces.newest()?.id).toBe("50000");
  expect(traces.newestOfAge(25_000, 50_000)?.id).toBe("25000");
  expect(traces.newestOfAge(25_001, 50_000)).toBeUndefined();
});

import { type RouteReading, timeStep } from "http-engine/route-figures";
import { expect, test } from "vitest";
import { leastTimed, RouteWindow } from "./route-window.ts";

function reading(id: number, taken: number, ms = 10, path = "r"): RouteReading {
  const times = new Uint32Array(120);
  times[timeStep(ms)] = taken;
  return { path, id, taken, failed: 0, times };
}

test("two readings a while apart make a rate, over all threads", () => {
  const window = new RouteWindow();
  expect(window.take([[reading(1, 100)], [reading(1, 50)]], 0)).toBeUndefined();
  const traffic = window.take([[reading(1, 140)], [reading(1, 60), reading(2, 10, 10, "new")]], 2_000);
  expect(traffic?.get("r")).toMatchObject({ perSecond: 25, timed: 50 });
  expect(traffic?.get("new")).toMatchObject({ perSecond: 5, p95Ms: undefined });
});

test("the percentile is of the window alone, and within an eighth", () => {
  const window = new RouteWindow();
  window.take([[reading(1, 1_000, 5_000)]], 0);
  const times = reading(1, 1_000, 5_000).times;
  times[timeStep(20)] = leastTimed;
  const traffic = window.take([[{ ...reading(1, 1_000 + leastTimed), times }]], 1_000);
  expect(Math.abs((traffic?.get("r")?.p95Ms ?? 0) - 20)).toBeLessThanOrEqual(2.6);
});

test("what is half a minute ago is forgotten, and a thread that starts anew counts from nothing", () => {
  const window = new RouteWindow();
  window.take([[reading(1, 100)]], 0);
  expect(window.take([[reading(1, 100)]], 31_000)).toBeUndefined();
  expect(window.take([[reading(1, 30)]], 33_000)?.get("r")?.perSecond).toBe(15);
});

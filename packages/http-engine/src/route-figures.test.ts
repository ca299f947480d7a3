import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { middleOfStep, RouteFigures, timeStep } from "./route-figures.ts";

test("the middle of a time's step is at most an eighth away", () => {
  fc.assert(
    fc.property(fc.integer({ min: 8, max: 2 ** 31 - 1 }), (us) => {
      const found = middleOfStep(timeStep(us / 1_000)) * 1_000;
      expect(Math.abs(found - us) / us).toBeLessThanOrEqual(0.126);
    }),
  );
});

test.each([
  [-1, 0],
  [0, 0],
  [0.007, 7],
  [0.008, 8],
  [1e12, 119],
])("%d ms is in step %d", (ms, step) => {
  expect(timeStep(ms)).toBe(step);
});

test("a reading is a copy, and no two routes have one id", () => {
  const [a, b] = [new RouteFigures(), new RouteFigures()];
  a.taken = 2;
  const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
  a.ended(1_000, 500);
  const reading = a.reading("servers/s/routes/0");
  a.ended(1_000, 200);
  expect(reading).toMatchObject({ path: "servers/s/routes/0", taken: 2, failed: 1 });
  expect(reading.times[0]).toBe(1);
  expect(a.reading("").times[0]).toBe(2);
  expect(b.reading("").id).not.toBe(reading.id);
  expect(b.reading("").times).toHaveLength(0);
  now.mockRestore();
});

test("where nobody looks the clock is left alone after a while, errors are counted on", () => {
  const figures = new RouteFigures();
  const timed = (count: number) => {
    for (let request = 0; request < count; request++) {
      figures.ended(performance.now(), 500);
    }
    const { failed, times } = figures.reading("");
    return [failed, times.reduce((sum, each) => sum + each, 0)];
  };
  expect(timed(5_000)).toEqual([5_000, 2_000]);
  expect(timed(10)).toEqual([5_010, 2_010]);
});

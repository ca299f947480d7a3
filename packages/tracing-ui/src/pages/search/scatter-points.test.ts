import { expect, test } from "vitest";
import type { TraceSummary } from "../../trace/summarise-trace.ts";
import { scatterOf } from "./scatter-points.ts";

const trace = (startUs: number, durationUs: number, spans = 1): TraceSummary => ({
  ...{
    traceId: `${startUs}`,
    rootService: "a",
    rootOperation: "b",
    rootFound: true,
    errors: 0,
    services: [],
  },
  ...{ startUs, durationUs, spans },
});

test("all traces are inside, earlier left of later, longer above shorter, large ones first", () => {
  const { points, ticks } = scatterOf([trace(1e12, 100), trace(1e12 + 1e6, 1e6, 500), trace(1e12 + 2e6, 0)]);
  expect(points.map(({ trace: { durationUs } }) => durationUs)).toEqual([1e6, 100, 0]);
  for (const { x, y } of points) {
    expect(x).toBeGreaterThan(0);
    expect(x).toBeLessThan(1);
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(1);
  }
  expect(ticks.map(({ us }) => us)).toContain(1_000);
});

test("one trace is in the middle", () => {
  expect(scatterOf([trace(5e12, 10)]).points[0]).toMatchObject({ x: 0.5, y: 0.5 });
});

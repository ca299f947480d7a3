import { expect, test } from "vitest";
import { joinRates, stepMs } from "./rates.ts";

const at = (minute: number) => `2026-11-21T14:0${minute}:00Z`;
const series = (service: string, values: (number | string)[]) => ({
  labels: [{ name: "service_name", value: service }],
  metricPoints: values.map((doubleValue, minute) => ({ gaugeValue: { doubleValue }, timestamp: at(minute) })),
});
const none = { metrics: [] };

test("what belongs to a service comes together, most calls first", () => {
  const rates = joinRates({
    calls: { metrics: [series("quiet", [1, 0]), series("busy", [3, 1])] },
    errors: { metrics: [series("busy", [0, 1])] },
    p50: { metrics: [series("busy", [2, "NaN"])] },
    p95: none,
    p99: none,
    whole50: { metrics: [series("busy", ["NaN", 2.5])] },
    whole95: none,
    whole99: none,
  });
  expect(rates.times).toEqual([Date.parse(at(0)), Date.parse(at(1))]);
  expect(rates.rows.map(({ service }) => service)).toEqual(["busy", "quiet"]);
  const [busy] = rates.rows;
  expect(busy?.p50).toEqual([2_000, null]);
  // One call a second of four failed.
  expect(busy?.whole).toEqual({ calls: 2, errors: 0.25, p50: 2_500, p95: undefined, p99: undefined });
});

test.each([
  [300e3, 60_000],
  [3_600e3, 120_000],
  [86_400e3, 1_800_000],
])("a step of %d ms is whole minutes", (lookback, step) => {
  expect(stepMs(lookback)).toBe(step);
});

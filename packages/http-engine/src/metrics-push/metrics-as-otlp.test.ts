import { Gauge, Histogram, Registry, Summary } from "@prometheus-io/client";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type MetricOfRegistry, metricsAsOtlp } from "./metrics-as-otlp.ts";

const period = { startTime: [1, 0], endTime: [2, 0] } satisfies Parameters<typeof metricsAsOtlp>[1];

async function otlpOf(registry: Registry) {
  return metricsAsOtlp((await registry.getMetricsAsJSON()) as MetricOfRegistry[], period);
}

test("each value of a histogram is in the one bucket that it belongs to", async () => {
  const bounds = [0.5, 1, 10];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.double({ min: 0, max: 20, noNaN: true })), async (values) => {
      const registry = new Registry();
      const histogram = new Histogram({
        name: "x",
        help: "x",
        labelNames: ["a"],
        buckets: bounds,
        registers: [registry],
      });
      histogram.zero({ a: "1" });
      for (const value of values) {
        histogram.observe({ a: "1" }, value);
      }
      const expected = [...bounds, Number.POSITIVE_INFINITY].map(
        (bound, index) =>
          values.filter((value) => value <= bound && value > (bounds[index - 1] ?? -1)).length,
      );
      expect(await otlpOf(registry)).toMatchObject([
        {
          dataPoints: [
            {
              attributes: { a: "1" },
              value: { count: values.length, buckets: { boundaries: bounds, counts: expected } },
            },
          ],
        },
      ]);
    }),
    { numRuns: 50 },
  );
});

test("a summary is a gauge of quantiles and two sums; what has no values is left out", async () => {
  const registry = new Registry();
  new Summary({ name: "s", help: "x", percentiles: [0.5], registers: [registry] }).observe(3);
  new Gauge({ name: "empty", help: "x", labelNames: ["a"], registers: [registry] });
  const found = (await otlpOf(registry)).map(({ descriptor, dataPoints }) => [
    descriptor.name,
    dataPoints.map(({ attributes, value }) => [attributes, value]),
  ]);
  expect(found).toEqual([
    ["s", [[{ quantile: "0.5" }, 3]]],
    ["s_sum", [[{}, 3]]],
    ["s_count", [[{}, 1]]],
  ]);
});

import { createMetrics } from "lifecycle";
import { expect, test } from "vitest";
import { SpanRowWriter } from "wire/rows";
import { spanOf } from "../../../test/span-rows-fixture.ts";
import { countQuotas } from "./count-quotas.ts";
import { Quotas } from "./quotas.ts";
import { parseQuotas } from "./read-quotas.ts";
import { SeriesOfDay } from "./series-of-day.ts";

type Names = readonly (readonly [service: string, name: string, kind?: "server" | "client"])[];

function rowsOf(names: Names) {
  const writer = new SpanRowWriter();
  for (const [service, name, kind = "server"] of names) {
    const span = spanOf({ name });
    writer.append({ ...span, kind, resource: { ...span.resource, serviceName: service } }, "");
  }
  return writer.take();
}

test("a series is a service, a name and a kind", () => {
  const series = new SeriesOfDay();
  const rows = rowsOf([
    ...([
      ["a", "bc"],
      ["ab", "c"],
      ["", "abc"],
      ["abc", ""],
      ["a", "bc", "client"],
    ] as const),
    ...([
      ["a", "bc"],
      ["ab", "c"],
    ] as const),
  ]);
  const found = series.newOf(rows);
  expect(found.size).toBe(5);
  series.add(found);
  expect([series.size, series.newOf(rows).size]).toEqual([5, 0]);
});

test("100,000 names are as many series", () => {
  const series = new SeriesOfDay();
  for (let begin = 0; begin < 100_000; begin += 10_000) {
    const names: Names = Array.from({ length: 10_000 }, (_, index) => ["shop", `GET /${begin + index}`]);
    series.add(series.newOf(rowsOf(names)));
  }
  expect(series.size).toBe(100_000);
});

function quotasOf(text: string) {
  const time = { monotonicMs: 0, epochMs: 86_400_000 * 20_000 };
  const quotas = new Quotas(parseQuotas(text, "test", { enabled: true }), () => time);
  const take = (tenant: string, names: Names) => {
    try {
      const rows = rowsOf(names);
      return quotas.take(tenant, rows.count, rows.bytes.length, rows);
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  return { quotas, take, time };
}

test("known series go on when the quota is full; new ones wait for the next day", () => {
  const { take, time, quotas } = quotasOf("defaults: { series-per-day: 2 }");
  expect(
    take("a", [
      ["s", "1"],
      ["s", "2"],
    ]),
  ).toHaveProperty("giveBack");
  expect(take("a", [["s", "3"]])).toBe("COLLECTOR_DAY_LIMITED");
  expect(
    take("a", [
      ["s", "1"],
      ["s", "3"],
    ]),
  ).toBe("COLLECTOR_DAY_LIMITED");
  expect(
    take("a", [
      ["s", "2"],
      ["s", "1"],
    ]),
  ).toHaveProperty("giveBack");
  expect(take("b", [["s", "3"]])).toHaveProperty("giveBack");
  expect(
    take("c", [
      ["s", "1"],
      ["s", "2"],
      ["s", "3"],
    ]),
  ).toBe("COLLECTOR_TOO_LARGE");
  quotas.use(parseQuotas("defaults: { series-per-day: 3 }", "test", { enabled: true }));
  expect(take("a", [["s", "3"]])).toHaveProperty("giveBack");
  expect(take("a", [["s", "4"]])).toBe("COLLECTOR_DAY_LIMITED");
  time.epochMs += 86_400_000;
  expect(take("a", [["s", "4"]])).toHaveProperty("giveBack");
});

test("a request that was not stored leaves no series", () => {
  const { take } = quotasOf("defaults: { series-per-day: 1 }");
  const taken = take("a", [["s", "1"]]);
  expect(typeof taken === "string" ? taken : taken.giveBack()).toBeUndefined();
  expect(take("a", [["s", "2"]])).toHaveProperty("giveBack");
});

test("series are shown and counted", async () => {
  const { take, quotas } = quotasOf("tenants: { a: { series-per-day: 1 } }");
  const registry = createMetrics("test");
  countQuotas(quotas, registry);
  take("a", [["s", "1"]]);
  take("a", [
    ["s", "2"],
    ["s", "2"],
  ]);
  take("b", [["s", "2"]]);
  const metrics = await registry.metrics();
  expect(metrics).toContain('tracing_collector_quota_day_series{tenant="a"} 1\n');
  expect(metrics).not.toContain('tracing_collector_quota_day_series{tenant="b"}');
  expect(metrics).toContain('tracing_collector_quota_limit{tenant="a",quota="series-per-day"} 1\n');
  expect(metrics).toContain(
    'tracing_collector_quota_refused_spans_total{tenant="a",quota="series-per-day"} 2\n',
  );
});

test.each(["0", "1.5", "1000001", "many"])("series-per-day: %s is refused", (limit) => {
  expect(() => quotasOf(`defaults: { series-per-day: ${limit} }`)).toThrow("defaults.series-per-day");
});

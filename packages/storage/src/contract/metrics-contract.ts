import { expect } from "vitest";
import { durationOfBucket } from "../api/duration-buckets.ts";
import type { MetricSeries, MetricsQuery } from "../api/metrics-reader.ts";
import type { RankedRatesQuery } from "../api/ranked-rates.ts";
import { adjustedRatesContract } from "./adjusted-contract.ts";
import {
  type ContractContext,
  expectStorageError,
  newToken,
  rowsOfTenant,
  write,
} from "./contract-context.ts";
import { goodCountsContract } from "./good-counts-contract.ts";
import { msNano, newServiceName, noonUnixNano, type SpanFacts, sampleSpan } from "./sample-spans.ts";

const minuteMs = 60_000;
const noonUnixMs = Number(noonUnixNano / 1_000_000n);

/** A span that starts `seconds` after noon. */
function spanAt(seconds: number, facts: SpanFacts) {
  return sampleSpan({ startTimeUnixNano: noonUnixNano + BigInt(seconds) * 1_000_000_000n, ...facts });
}

const failed: SpanFacts = { status: { code: "error", message: "" } };

/** Formats each point as `minutes after noon=value`, rounded to three digits. */
function points(series: MetricSeries | undefined): string {
  return (series?.points ?? [])
    .map(({ unixMs, value }) => `${(unixMs - noonUnixMs) / minuteMs}=${Number(value.toPrecision(3))}`)
    .join(" ");
}

/** Contract of rates, errors and durations of services and operations. */
export function metricsContract({ store, test }: ContractContext): void {
  adjustedRatesContract({ store, test });
  goodCountsContract({ store, test });
  const queryOf = (service: string, changes: Partial<MetricsQuery> = {}): MetricsQuery => ({
    services: [service],
    spanKinds: ["server"],
    groupByOperation: false,
    startUnixMs: noonUnixMs,
    endUnixMs: noonUnixMs + 5 * minuteMs,
    stepMs: minuteMs,
    ratePerMs: 2 * minuteMs,
    ...changes,
  });

  test("metrics: rates and errors look back over whole minutes", async () => {
    const service = newServiceName();
    await write(store(), [
      ...Array.from({ length: 6 }, (_, second) => spanAt(second, { service })),
      spanAt(59, { service, ...failed, name: "other" }),
      spanAt(60, { service, ...failed }),
    ]);
    const { metrics } = store();
    const rates = await metrics.getCallRates(queryOf(service));
    expect(rates.map(points)).toEqual(["1=0.0583 2=0.0667 3=0.00833"]);
    expect(rates[0]?.operation).toBeUndefined();
    expect((await metrics.getErrorRates(queryOf(service))).map(points)).toEqual(["1=0.143 2=0.25 3=1"]);
    const between = queryOf(service, { startUnixMs: noonUnixMs + 119_999, stepMs: 7_000, ratePerMs: 1 });
    const [series] = await metrics.getCallRates(between);
    expect(series?.points.map(({ unixMs, value }) => [unixMs - noonUnixMs, value * 60])).toEqual([
      [119_999, 7],
      ...Array.from({ length: 8 }, (_, index) => [126_999 + index * 7_000, 1]),
    ]);
  });

  test("metrics: no errors are a rate of 0, no calls no points", async () => {
    const service = newServiceName();
    await write(store(), [spanAt(0, { service }), spanAt(0, { service, kind: "client", ...failed })]);
    const { metrics } = store();
    expect((await metrics.getErrorRates(queryOf(service))).map(points)).toEqual(["1=0 2=0"]);
    expect(await metrics.getErrorRates(queryOf(newServiceName()))).toEqual([]);
    const later = { startUnixMs: noonUnixMs + 9 * minuteMs, endUnixMs: noonUnixMs + 12 * minuteMs };
    expect(await metrics.getCallRates(queryOf(service, later))).toEqual([]);
    expect(await metrics.getCallRates(queryOf(service, { endUnixMs: noonUnixMs - 1 }))).toEqual([]);
  });

  test("metrics: kinds and services are those asked for, operations apart where wanted", async () => {
    const [one, two] = [newServiceName(), newServiceName()];
    await write(store(), [
      spanAt(0, { service: one, name: "b" }),
      spanAt(0, { service: one, name: "b" }),
      spanAt(0, { service: one, name: "a ä" }),
      spanAt(0, { service: one, name: "c", kind: "client" }),
      spanAt(0, { service: two, name: "b", kind: "consumer" }),
    ]);
    const names = (series: readonly MetricSeries[]) =>
      series.map(({ service, operation, points: [first] }) => [
        service === one ? "one" : "two",
        operation,
        Math.round((first?.value ?? 0) * 120),
      ]);
    const query = queryOf(one, { services: [two, one, newServiceName()], groupByOperation: true });
    expect(names(await store().metrics.getCallRates(query))).toEqual([
      ["one", "a ä", 1],
      ["one", "b", 2],
    ]);
    const more = { ...query, spanKinds: ["client", "consumer"] as const };
    expect(names(await store().metrics.getCallRates(more))).toEqual([
      ["one", "c", 1],
      ["two", "b", 1],
    ]);
    expect(names(await store().metrics.getCallRates({ ...more, groupByOperation: false }))).toEqual([
      ["one", undefined, 1],
      ["two", undefined, 1],
    ]);
  });

  test("metrics: quantiles of durations are right within a fifth", async () => {
    const service = newServiceName();
    await write(
      store(),
      Array.from({ length: 100 }, (_, index) =>
        spanAt(index % 60, { service, durationNano: BigInt(index + 1) * msNano }),
      ),
    );
    for (const [quantile, ms] of [
      [0.01, 1],
      [0.5, 50],
      [0.95, 95],
      [1, 100],
    ] as const) {
      const [series] = await store().metrics.getLatencies({ ...queryOf(service), quantile });
      expect(series?.points.length).toBe(3 - 1);
      for (const { value } of series?.points ?? []) {
        expect(value).toBeGreaterThan(ms / 1.2);
        expect(value).toBeLessThan(ms * 1.2);
      }
    }
  });

  test("metrics: durations of 0 and less, and the longest, are counted", async () => {
    const service = newServiceName();
    const durations = [0n, -5n, -(2n ** 63n), 2n ** 63n - 1n];
    await write(
      store(),
      durations.map((durationNano) => spanAt(0, { service, durationNano })),
    );
    const { metrics } = store();
    expect((await metrics.getCallRates(queryOf(service))).map(points)).toEqual(["1=0.0333 2=0.0333"]);
    const [lowest] = await metrics.getLatencies({ ...queryOf(service), quantile: 0.25 });
    expect(lowest?.points[0]?.value).toBeLessThan(1.2e-6);
    const [highest] = await metrics.getLatencies({ ...queryOf(service), quantile: 1 });
    expect(highest?.points[0]?.value).toBeGreaterThan(Number(2n ** 62n) / 1e6);
  });

  test("metrics: a block written twice counts once, blocks add up", async () => {
    const service = newServiceName();
    const token = newToken();
    const [span, other] = [spanAt(0, { service }), spanAt(0, { service })];
    for (const name of [token, token]) {
      await write(store(), [span], name);
    }
    await write(store(), [other]);
    expect((await store().metrics.getCallRates(queryOf(service))).map(points)).toEqual(["1=0.0167 2=0.0167"]);
  });

  test("metrics: durations of each operation, out of several blocks and kinds", async () => {
    const service = newServiceName();
    for (const ms of [1n, 1n, 100n]) {
      const durationNano = ms * msNano;
      await write(store(), [
        spanAt(0, { service, name: "both", durationNano }),
        spanAt(0, { service, name: "long", durationNano: 100n * durationNano, kind: "client" }),
      ]);
    }
    const spanKinds = ["server", "client"] as const;
    const query = queryOf(service, { groupByOperation: true, spanKinds, stepMs: 60_000, ratePerMs: 60_000 });
    const medians = await store().metrics.getLatencies({ ...query, quantile: 0.5 });
    expect(medians.map(({ operation }) => operation)).toEqual(["both", "long"]);
    const [both = 0, long = 0] = medians.map(({ points: [point] }) => point?.value);
    expect([both > 0.8 && both < 1.2, long > 80 && long < 120]).toEqual([true, true]);
  });

  test("metrics: each tenant has its own", async () => {
    const service = newServiceName();
    const rows = rowsOfTenant(`of ${service}`, spanAt(0, { service }));
    await store().writer.writeSpans(rows, { deduplicationToken: newToken() });
    const { metrics } = store();
    expect(await metrics.getCallRates(queryOf(service), { tenant: `of ${service}` })).toHaveLength(1);
    expect(await metrics.getCallRates(queryOf(service), { tenant: "nobody" })).toEqual([]);
    expect(await metrics.getCallRates(queryOf(service))).toEqual([]);
  });

  test("metrics: spans of all services are counted apart", async () => {
    const service = newServiceName();
    const tenant = `counts of ${service}`;
    const rows = rowsOfTenant(
      tenant,
      spanAt(0, { service, durationNano: 8n * msNano }),
      spanAt(59, { service, durationNano: 8n * msNano, ...failed }),
      spanAt(1, { service, durationNano: 80n * msNano }),
      spanAt(2, { service: `${service} too`, kind: "client", durationNano: -5n }),
      spanAt(60, { service }),
      spanAt(-1, { service }),
    );
    await store().writer.writeSpans(rows, { deduplicationToken: newToken() });
    const minute = { startUnixMs: noonUnixMs, endUnixMs: noonUnixMs + minuteMs };
    const counts = await store().metrics.getSpanCounts(minute, { tenant });
    counts.sort((one, other) => other.durationNano - one.durationNano);
    expect(
      counts.map((count) => [count.service, count.spanKind, count.calls, count.errors, count.durationNano]),
    ).toEqual([
      [service, "server", 1, 0, 80e6],
      [service, "server", 2, 1, 16e6],
      [`${service} too`, "client", 1, 0, 0],
    ]);
    expect(durationOfBucket(counts[0]?.durationBucket ?? 0) / 80e6).toBeCloseTo(1, 1);
    expect(await store().metrics.getSpanCounts(minute, { tenant: "nobody" })).toEqual([]);
    await expectStorageError(
      store().metrics.getSpanCounts({ ...minute, endUnixMs: noonUnixMs + 1 }),
      "STORAGE_BAD_QUERY",
    );
  });

  const ranking = (changes: Partial<RankedRatesQuery> = {}): RankedRatesQuery => ({
    contains: "",
    spanKinds: ["server"],
    startUnixMs: noonUnixMs,
    endUnixMs: noonUnixMs + 3 * minuteMs,
    stepMs: 2 * minuteMs,
    order: "calls",
    limit: 200,
    offset: 0,
    ...changes,
  });
  const ms = (facts: SpanFacts, duration: bigint) => ({ ...facts, durationNano: duration * msNano });

  test("metrics: services and operations are ranked, filtered and paged", async () => {
    const tenant = `ranked ${newServiceName()}`;
    const options = { tenant };
    const rows = rowsOfTenant(
      tenant,
      ...Array.from({ length: 120 }, (_, index) =>
        spanAt(index, ms({ service: `Shop-${String(index).padStart(3, "0")}`, name: `op ${index}` }, 5n)),
      ),
      ...[0, 1, 130].map((second) => spanAt(second, ms({ service: "busy", name: "a" }, 80n))),
      spanAt(3, ms({ service: "busy", name: "b", ...failed }, 700n)),
      spanAt(3, ms({ service: "busy", name: "of a client", kind: "client" }, 9n)),
      spanAt(-1, { service: "before" }),
      spanAt(180, { service: "after" }),
    );
    await store().writer.writeSpans(rows, { deduplicationToken: newToken() });
    const { metrics } = store();
    const names = async (changes: Partial<RankedRatesQuery>) => {
      const { matched, names: found } = await metrics.getRankedRates(ranking(changes), options);
      return [matched, ...found.map(({ name }) => name)];
    };
    expect(await names({ limit: 3 })).toEqual([121, "busy", "Shop-000", "Shop-001"]);
    expect(await names({ limit: 2, offset: 119 })).toEqual([121, "Shop-118", "Shop-119"]);
    expect(await names({ limit: 2, offset: 121 })).toEqual([121]);
    expect(await names({ order: "name", limit: 2, offset: 119 })).toEqual([121, "Shop-119", "busy"]);
    expect(await names({ contains: "sHOP-11", order: "name", limit: 2 })).toEqual([
      10,
      "Shop-110",
      "Shop-111",
    ]);
    expect(await names({ contains: "%" })).toEqual([0]);
    expect(await names({ only: ["busy", "Shop-007", "nobody"] })).toEqual([2, "busy", "Shop-007"]);
    for (const order of ["errors", "p99", "p95"] as const) {
      expect((await names({ order, limit: 1 }))[1]).toBe("busy");
    }
    expect(await names({ service: "busy" })).toEqual([2, "a", "b"]);
    expect(await names({ service: "busy", order: "p50" })).toEqual([2, "b", "a"]);
    expect(await names({ service: "busy", spanKinds: ["server", "client"], contains: "client" })).toEqual([
      1,
      "of a client",
    ]);
    expect(await names({ service: "nobody" })).toEqual([0]);

    const [busy] = (await metrics.getRankedRates(ranking({ only: ["busy"] }), options)).names;
    expect([busy?.whole.calls, busy?.whole.errors]).toEqual([4, 1]);
    expect(busy?.steps.map((step) => [step?.calls, step?.errors])).toEqual([
      [3, 1],
      [1, 0],
    ]);
    expect(busy?.whole.p50Ms).toBeGreaterThan(70);
    expect(busy?.whole.p99Ms).toBeGreaterThan(630);
    // An estimate never exceeds the longest duration.
    expect(busy?.whole.p99Ms).toBeLessThanOrEqual(700);
    const [first] = (await metrics.getRankedRates(ranking({ only: ["Shop-000"] }), options)).names;
    expect(first?.steps.map((step) => step?.calls)).toEqual([1, undefined]);
    expect(await metrics.getRankedRates(ranking(), { tenant: "nobody" })).toEqual({ matched: 0, names: [] });
  });

  test("metrics: names of any length are ranked", async () => {
    const tenant = `long ${newServiceName()}`;
    const long = "ä'\\n".repeat(1_900);
    const rows = rowsOfTenant(
      tenant,
      spanAt(0, { service: long, name: long }),
      spanAt(1, { service: "short" }),
    );
    await store().writer.writeSpans(rows, { deduplicationToken: newToken() });
    const { names } = await store().metrics.getRankedRates(ranking(), { tenant });
    expect(names.map(({ name, whole }) => [name, whole.calls])).toEqual([
      ["short", 1],
      [long, 1],
    ]);
  });

  test("metrics: rankings that cannot be answered are refused", async () => {
    const wrong: Partial<RankedRatesQuery>[] = [
      { spanKinds: [] },
      { limit: 0 },
      { limit: 201 },
      { offset: -1 },
      { stepMs: 1_000 },
      { startUnixMs: noonUnixMs + 1 },
      { endUnixMs: noonUnixMs },
      { endUnixMs: noonUnixMs + 1_001 * minuteMs },
      { contains: "x".repeat(9_000) },
      { only: Array.from({ length: 201 }, String) },
    ];
    for (const changes of wrong) {
      await expectStorageError(store().metrics.getRankedRates(ranking(changes)), "STORAGE_BAD_QUERY");
    }
    const aborted = { signal: AbortSignal.abort() };
    await expectStorageError(store().metrics.getRankedRates(ranking(), aborted), "STORAGE_ABORTED");
  });

  test("metrics: what cannot be answered is refused", async () => {
    const { metrics } = store();
    const wrong: Partial<MetricsQuery>[] = [
      { services: [] },
      { services: Array.from({ length: 101 }, String) },
      { services: ["x".repeat(9_000)] },
      { spanKinds: [] },
      { stepMs: 0 },
      { stepMs: 1 },
      { ratePerMs: 0 },
      { startUnixMs: -1 },
      { endUnixMs: Number.NaN },
    ];
    for (const changes of wrong) {
      const query = queryOf("s", changes);
      await expectStorageError(metrics.getCallRates(query), "STORAGE_BAD_QUERY");
      await expectStorageError(metrics.getErrorRates(query), "STORAGE_BAD_QUERY");
      await expectStorageError(metrics.getLatencies({ ...query, quantile: 0.5 }), "STORAGE_BAD_QUERY");
    }
    for (const quantile of [0, 1.01, Number.NaN]) {
      await expectStorageError(metrics.getLatencies({ ...queryOf("s"), quantile }), "STORAGE_BAD_QUERY");
    }
    const aborted = { signal: AbortSignal.abort() };
    await expectStorageError(metrics.getCallRates(queryOf("s"), aborted), "STORAGE_ABORTED");
  });
}

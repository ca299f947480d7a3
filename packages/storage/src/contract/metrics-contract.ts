import { expect } from "vitest";
import { durationOfBucket } from "../api/duration-buckets.ts";
import type { MetricSeries, MetricsQuery } from "../api/metrics-reader.ts";
import {
  type ContractContext,
  expectStorageError,
  newToken,
  rowsOfTenant,
  write,
} from "./contract-context.ts";
import { msNano, newServiceName, noonUnixNano, type SpanFacts, sampleSpan } from "./sample-spans.ts";

const minuteMs = 60_000;
const noonUnixMs = Number(noonUnixNano / 1_000_000n);

/** A span that starts so many seconds after noon. */
function spanAt(seconds: number, facts: SpanFacts) {
  return sampleSpan({ startTimeUnixNano: noonUnixNano + BigInt(seconds) * 1_000_000_000n, ...facts });
}

const failed: SpanFacts = { status: { code: "error", message: "" } };

/** `minute after noon=value` of each point, rounded to three digits. */
function points(series: MetricSeries | undefined): string {
  return (series?.points ?? [])
    .map(({ unixMs, value }) => `${(unixMs - noonUnixMs) / minuteMs}=${Number(value.toPrecision(3))}`)
    .join(" ");
}

/** Rates, errors and durations of services and operations. */
export function metricsContract({ store, test }: ContractContext): void {
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
    const [token, span] = [newToken(), spanAt(0, { service })];
    for (const name of [token, token, newToken()]) await write(store(), [span], name);
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

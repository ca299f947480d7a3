import type { MetricsReader, SpanCount, SpanCountQuery } from "storage/api";
import { unsupported } from "storage/api";
import { expect, test } from "vitest";
import { countersByTenant, PrometheusCounters } from "./prometheus-counters.ts";
import { bucketBoundsMs, type SpanCounter, spanCounting } from "./span-counters.ts";

const minuteMs = 60_000;
const noonMs = Date.UTC(2026, 10, 21, 12);

/** A store with counts by minute after noon, which may grow. */
class Minutes {
  readonly asked: SpanCountQuery[] = [];
  readonly #counts: { minute: number; count: SpanCount }[] = [];

  put(minute: number, count: Partial<SpanCount> = {}): void {
    this.#counts.push({
      minute,
      count: {
        service: "shop",
        operation: "GET /",
        spanKind: "server",
        durationBucket: 8 * 23, // 2^23 ns: 8.4 ms
        calls: 1,
        errors: 0,
        durationNano: 8_400_000,
        ...count,
      },
    });
  }

  readonly reader: MetricsReader = {
    ...unsupported("counts only").metrics,
    getSpanCounts: async (query) => {
      this.asked.push(query);
      return this.#counts
        .filter(({ minute }) => {
          const startMs = noonMs + minute * minuteMs;
          return startMs >= query.startUnixMs && startMs < query.endUnixMs;
        })
        .map(({ count }) => count);
    },
  };
}

const shown = (counters: readonly SpanCounter[]) =>
  counters.map(({ failed, calls, durationMs, buckets }) => ({
    failed,
    calls,
    durationMs: Number(durationMs.toFixed(6)),
    buckets: Object.fromEntries(
      [...buckets.entries()].flatMap(([index, count]) =>
        count > 0 ? [[bucketBoundsMs[index] ?? "more", count]] : [],
      ),
    ),
  }));

test("counts grow, with what comes late, and old minutes are asked for once", async () => {
  const minutes = new Minutes();
  const counters = new PrometheusCounters(spanCounting, noonMs + 30_000);
  minutes.put(-1); // Before this process.
  minutes.put(0, { calls: 3, errors: 1, durationNano: 25_200_000 });
  const read = async (minute: number) =>
    shown(await counters.read(minutes.reader, noonMs + minute * minuteMs, {}));
  expect(await read(0)).toEqual([
    { failed: false, calls: 2, durationMs: 16.8, buckets: { 10: 2 } },
    { failed: true, calls: 1, durationMs: 8.4, buckets: { 10: 1 } },
  ]);
  minutes.put(0, { durationBucket: 8 * 36, durationNano: 6.9e10 }); // Late, and longer than all bounds.
  minutes.put(10);
  expect(await read(12)).toMatchObject([{ calls: 4, buckets: { 10: 3, more: 1 } }, { calls: 1 }]);
  expect(await read(40)).toMatchObject([{ calls: 4 }, { calls: 1 }]);
  minutes.put(1); // Too late.
  minutes.put(40);
  expect(await read(41)).toMatchObject([{ calls: 5 }, { calls: 1 }]);
  const last = minutes.asked.slice(-2).map(({ startUnixMs }) => (startUnixMs - noonMs) / minuteMs);
  expect(last).toEqual([26, 27]);
});

test("two readings at once settle a minute once", async () => {
  const minutes = new Minutes();
  const counters = new PrometheusCounters(spanCounting, noonMs);
  minutes.put(0);
  const both = await Promise.all(
    [60, 60].map((minute) => counters.read(minutes.reader, noonMs + minute * minuteMs, {})),
  );
  expect(both.map(shown)).toEqual([
    [{ failed: false, calls: 1, durationMs: 8.4, buckets: { 10: 1 } }],
    [{ failed: false, calls: 1, durationMs: 8.4, buckets: { 10: 1 } }],
  ]);
});

test("too many series, and too many tenants, are refused", async () => {
  const minutes = new Minutes();
  for (let index = 0; index <= 50_000; index++) {
    minutes.put(0, { operation: String(index) });
  }
  await expect(
    new PrometheusCounters(spanCounting, noonMs).read(minutes.reader, noonMs, {}),
  ).rejects.toMatchObject({
    code: "QUERY_TOO_LARGE",
  });
  const read = countersByTenant(spanCounting, new Minutes().reader, () => noonMs);
  for (let index = 0; index < 1_000; index++) {
    await read({ tenant: String(index) });
  }
  expect(await read({ tenant: "7" })).toEqual([]);
  await expect(read({ tenant: "one more" })).rejects.toMatchObject({ code: "QUERY_TOO_LARGE" });
});

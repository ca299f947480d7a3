import type { MetricsReader, ReadOptions, SpanCount } from "storage/api";
import { durationOfBucket } from "storage/api";
import { QueryError } from "../query-error.ts";

const minuteMs = 60_000;

/** Spans that arrive later than this after their start are not counted: their minute is settled. */
const lateMinutes = 15;

/** Of one tenant: services by operations, kinds and outcomes. */
const maxCounters = 50_000;

/** Bounds of the buckets, milliseconds, as OpenTelemetry's span metrics connector has them by default. */
export const bucketBoundsMs: readonly number[] = [
  2, 4, 6, 8, 10, 50, 100, 200, 400, 800, 1_000, 1_400, 2_000, 5_000, 10_000, 15_000,
];

/** What has been counted of one operation's calls with one outcome. */
export interface SpanCounter {
  readonly service: string;
  readonly operation: string;
  readonly spanKind: SpanCount["spanKind"];
  readonly failed: boolean;
  calls: number;
  durationMs: number;
  /** Calls that took no longer than each bound and longer than the one before. */
  readonly buckets: number[];
}

type Counters = Map<string, SpanCounter>;

/** Where a duration belongs; `bucketBoundsMs.length` past the last bound. */
function bucketOf(durationMs: number): number {
  const index = bucketBoundsMs.findIndex((bound) => durationMs <= bound);
  return index === -1 ? bucketBoundsMs.length : index;
}

function add(counters: Counters, count: SpanCount): void {
  const { service, operation, spanKind, calls, errors, durationNano } = count;
  const bucket = bucketOf(durationOfBucket(count.durationBucket) / 1e6);
  for (const [failed, part] of [
    [false, calls - errors],
    [true, errors],
  ] as const) {
    if (part === 0) {
      continue;
    }
    const key = JSON.stringify([service, operation, spanKind, failed]);
    let counter = counters.get(key);
    if (counter === undefined) {
      if (counters.size >= maxCounters) {
        throw new QueryError(
          "QUERY_TOO_LARGE",
          `there are more than ${maxCounters} series of spans to count`,
        );
      }
      const buckets = Array.from({ length: bucketBoundsMs.length + 1 }, () => 0);
      counter = { service, operation, spanKind, failed, calls: 0, durationMs: 0, buckets };
      counters.set(key, counter);
    }
    counter.calls += part;
    counter.durationMs += (durationNano / 1e6) * (part / calls);
    counter.buckets[bucket] = (counter.buckets[bucket] ?? 0) + part;
  }
}

function copyOf(counters: Counters): Counters {
  return new Map(
    Array.from(counters, ([key, counter]) => [key, { ...counter, buckets: [...counter.buckets] }]),
  );
}

/**
 * Counts that only grow, of all spans that started since this object was made, as Prometheus wants counters. Each reading
 * asks the store for the last minutes only; what is older is kept as sums.
 */
export class SpanCounters {
  #settled: Counters = new Map();
  #settledUntilMs: number;
  #reading: Promise<unknown> = Promise.resolve();

  /** @param startUnixMs where counting begins: the whole minute before it */
  constructor(startUnixMs: number) {
    this.#settledUntilMs = Math.floor(startUnixMs / minuteMs) * minuteMs;
  }

  /** @param nowMs milliseconds since the Unix epoch @throws StorageError; QueryError QUERY_TOO_LARGE */
  read(store: MetricsReader, nowMs: number, options: ReadOptions): Promise<SpanCounter[]> {
    // One after the other: two at once would both settle the same minutes.
    const reading = this.#reading.catch(() => {}).then(() => this.#read(store, nowMs, options));
    this.#reading = reading;
    return reading;
  }

  async #read(store: MetricsReader, nowMs: number, options: ReadOptions): Promise<SpanCounter[]> {
    const endMs = Math.floor(nowMs / minuteMs) * minuteMs + minuteMs;
    const settledMs = endMs - lateMinutes * minuteMs;
    if (settledMs > this.#settledUntilMs) {
      const counts = await store.getSpanCounts(
        { startUnixMs: this.#settledUntilMs, endUnixMs: settledMs },
        options,
      );
      // A copy: when one count too many is refused, none of them is settled.
      const settled = copyOf(this.#settled);
      for (const count of counts) {
        add(settled, count);
      }
      this.#settled = settled;
      this.#settledUntilMs = settledMs;
    }
    const recent = await store.getSpanCounts(
      { startUnixMs: this.#settledUntilMs, endUnixMs: endMs },
      options,
    );
    const all = copyOf(this.#settled);
    for (const count of recent) {
      add(all, count);
    }
    return [...all.values()];
  }
}

/** Tenants whose spans are counted; names of more are likely made up. */
const maxTenants = 1_000;

/** Reads counters of a tenant. */
export type ReadSpanCounters = (options: ReadOptions) => Promise<SpanCounter[]>;

/** Counters of each tenant, from the moment this is called. */
export function spanCountersOf(store: MetricsReader, now: () => number = Date.now): ReadSpanCounters {
  const startMs = now();
  const byTenant = new Map<string, SpanCounters>();
  return async (options) => {
    const { tenant = "" } = options;
    let counters = byTenant.get(tenant);
    if (counters === undefined) {
      if (byTenant.size >= maxTenants) {
        throw new QueryError("QUERY_TOO_LARGE", `spans of ${maxTenants} tenants are counted, no more`);
      }
      counters = new SpanCounters(startMs);
      byTenant.set(tenant, counters);
    }
    return await counters.read(store, now(), options);
  };
}

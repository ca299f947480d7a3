import type { MetricsReader, ReadOptions, SpanCountQuery } from "storage/api";
import { refusePartial, withinTime } from "storage/asked-time";
import { QueryError } from "../query-error.ts";

// The store counts by minute.
const minuteMs = 60_000;

/** Minutes that a span may be late. A span that arrives later is not counted, because its minute is already settled. */
const lateMinutes = 15;

/**
 * A kind of counter, and how it adds a row of the store. There are two kinds: spans, and calls between
 * services.
 */
export interface Counting<Row, Counter extends object> {
  /** Rows of the store for whole minutes, by the counters' labels. */
  rows(store: MetricsReader, minutes: SpanCountQuery, options: ReadOptions): Promise<Row[]>;
  /** @throws QueryError QUERY_TOO_LARGE when there are too many counters */
  add(counters: Map<string, Counter>, row: Row): void;
}

/**
 * Counters that only grow, as Prometheus needs them, for all spans that started after `startUnixMs`.
 * Each reading queries the store for the last minutes only; older minutes are kept as sums.
 *
 * ```
 * start 10:00, reading at 10:20:  10:00–10:06 becomes settled, 10:06–10:21 is read and added
 *              reading at 10:21:  10:06–10:07 is added to the settled sums, 10:07–10:22 is read
 * ```
 */
export class PrometheusCounters<Row, Counter extends object> {
  /** How rows are read and added. */
  readonly #counting: Counting<Row, Counter>;
  /** Sums up to `#settledUntilMs`, by labels. */
  #settled: Map<string, Counter> = new Map();
  /** End of the settled time, in milliseconds since the Unix epoch. */
  #settledUntilMs: number;
  /** The running reading. The next reading waits until it ends. */
  #reading: Promise<unknown> = Promise.resolve();

  /** @param startUnixMs begin of the count; rounded down to a whole minute */
  constructor(counting: Counting<Row, Counter>, startUnixMs: number) {
    this.#counting = counting;
    this.#settledUntilMs = Math.floor(startUnixMs / minuteMs) * minuteMs;
  }

  /** @param nowMs milliseconds since the Unix epoch @throws StorageError; QueryError QUERY_TOO_LARGE */
  read(store: MetricsReader, nowMs: number, options: ReadOptions): Promise<Counter[]> {
    // Readings run sequentially, because two concurrent readings would count the same minutes twice.
    const reading = this.#reading.catch(() => {}).then(() => this.#read(store, nowMs, options));
    this.#reading = reading;
    return reading;
  }

  async #read(store: MetricsReader, nowMs: number, options: ReadOptions): Promise<Counter[]> {
    const { rows } = this.#counting;
    const endUnixMs = Math.floor(nowMs / minuteMs) * minuteMs + minuteMs;
    const settledMs = endUnixMs - lateMinutes * minuteMs;
    if (settledMs > this.#settledUntilMs) {
      const minutes = { startUnixMs: this.#settledUntilMs, endUnixMs: settledMs };
      // The minutes are settled together: when a counter is refused, no minute is counted.
      this.#settled = this.#sum(await rows(store, minutes, lasting(options, minutes)));
      this.#settledUntilMs = settledMs;
    }
    const minutes = { startUnixMs: this.#settledUntilMs, endUnixMs };
    return [...this.#sum(await rows(store, minutes, lasting(options, minutes))).values()];
  }

  /** Adds these rows to the settled counters. */
  #sum(rows: readonly Row[]): Map<string, Counter> {
    const counters = new Map(
      Array.from(this.#settled, ([key, counter]) => [key, structuredClone(counter)] as const),
    );
    for (const row of rows) {
      this.#counting.add(counters, row);
    }
    return counters;
  }
}

/**
 * Counts omit damaged parts, whose rows are lost for good. The rows of an unavailable shard return later. Omitting
 * them would make a counter fall, which Prometheus treats as a restart. So a reading without a shard fails.
 */
function lasting(options: ReadOptions, { startUnixMs, endUnixMs }: SpanCountQuery): ReadOptions {
  const { onPartial = refusePartial } = options;
  const nano = (ms: number) => BigInt(Math.floor(ms)) * 1_000_000n;
  return withinTime(
    { ...options, onPartial: (reason) => (reason.kind === "shard-away" ? refusePartial : onPartial)(reason) },
    { startUnixNano: nano(startUnixMs), endUnixNano: nano(endUnixMs) },
  );
}

/**
 * Maximum number of tenants whose spans are counted; a further tenant is refused. More names are probably invented by
 * clients.
 */
const maxTenants = 1_000;

/** Reads counters of a tenant. */
export type ReadCounters<Counter> = (options: ReadOptions) => Promise<Counter[]>;

/** Returns a reader of counters by tenant. A tenant's counters start with the call of this function. */
export function countersByTenant<Row, Counter extends object>(
  counting: Counting<Row, Counter>,
  store: MetricsReader,
  now: () => number = Date.now,
): ReadCounters<Counter> {
  const startMs = now();
  const byTenant = new Map<string, PrometheusCounters<Row, Counter>>();
  return async (options) => {
    const { tenant = "" } = options;
    let counters = byTenant.get(tenant);
    if (counters === undefined) {
      if (byTenant.size >= maxTenants) {
        throw new QueryError("QUERY_TOO_LARGE", `spans of ${maxTenants} tenants are counted, no more`);
      }
      counters = new PrometheusCounters(counting, startMs);
      byTenant.set(tenant, counters);
    }
    return await counters.read(store, now(), options);
  };
}

/**
 * Returns the counter of the key, or creates it.
 * @throws QueryError QUERY_TOO_LARGE when `max` counters exist
 */
export function counterOf<Counter>(
  counters: Map<string, Counter>,
  key: string,
  { max, what, make }: { readonly max: number; readonly what: string; make(): Counter },
): Counter {
  let counter = counters.get(key);
  if (counter === undefined) {
    if (counters.size >= max) {
      throw new QueryError("QUERY_TOO_LARGE", `there are more than ${max} series of ${what} to count`);
    }
    counter = make();
    counters.set(key, counter);
  }
  return counter;
}

/** Counts in the bucket of the first bound not below the duration, or in the last bucket. */
export function countDuration(
  buckets: number[],
  boundsMs: readonly number[],
  durationMs: number,
  calls: number,
): void {
  const found = boundsMs.findIndex((bound) => durationMs <= bound);
  const index = found === -1 ? boundsMs.length : found;
  buckets[index] = (buckets[index] ?? 0) + calls;
}

/** Empty buckets: one for each bound, and one above the last bound. */
export function noDurations(boundsMs: readonly number[]): number[] {
  return Array.from({ length: boundsMs.length + 1 }, () => 0);
}

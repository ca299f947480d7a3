import { checkTexts, tenantOf } from "./checked-query.ts";
import { DurationCounts } from "./duration-counts.ts";
import type {
  LatencyQuery,
  MetricPoint,
  MetricSeries,
  MetricsQuery,
  MetricsReader,
} from "./metrics-reader.ts";
import type { ReadOptions } from "./span-reader.ts";
import { StorageError } from "./storage-error.ts";

const minuteMs = 60_000;
/** Maximum number of points of one series, as for Prometheus's range queries. A query for more is refused. */
const maxPoints = 11_000;
/** Maximum number of service names, because the request's address contains all of them. */
const maxServices = 100;

/** The time range of a query, divided into slots of equal length. */
export interface MetricSlots {
  /** Start of slot 0: a whole minute, in milliseconds since the Unix epoch. */
  readonly startUnixMs: number;
  readonly slotMinutes: number;
  readonly count: number;
}

/**
 * Counts of one series. The lists have the same length; entries with the same index belong together. Entries of the
 * same slot are added up.
 */
export interface SeriesCounts {
  readonly service: string;
  /** Name of the operation; "" unless the query groups by operation. */
  readonly operation: string;
  /** Slot index of each entry, ascending. */
  readonly slots: readonly number[];
  /** Duration bucket of each entry, see `durationBucket`. Empty when the query does not need durations. */
  readonly buckets: readonly number[];
  /** Calls of each entry, at the entry's index; failed calls are included. */
  readonly calls: readonly number[];
  /** Failed calls of each entry, at the entry's index. May be empty when the query needs durations. */
  readonly errors: readonly number[];
}

/**
 * Counts the spans of the slots; each series occurs once. With `byBucket`, each duration bucket has a separate entry.
 */
export type CountSlots = (
  query: MetricsQuery,
  slots: MetricSlots,
  byBucket: boolean,
  options: ReadOptions,
) => Promise<readonly SeriesCounts[]>;

/** Creates a metrics reader from a function that counts spans by slots of time. */
export function metricsReader(
  countSlots: CountSlots,
): Pick<MetricsReader, "getCallRates" | "getErrorRates" | "getLatencies"> {
  const read = async (
    query: MetricsQuery,
    options: ReadOptions,
    byBucket: boolean,
    value: (window: Window) => number,
  ) => {
    const slots = slotsOf(query);
    tenantOf(options);
    return seriesOf(query, slots, await countSlots(query, slots, byBucket, options), value);
  };
  return {
    getCallRates: (query, options = {}) => {
      const seconds = rateMinutes(query) * 60;
      return read(query, options, false, ({ calls }) => calls / seconds);
    },
    getErrorRates: (query, options = {}) =>
      read(query, options, false, ({ calls, errors }) => errors / calls),
    getLatencies: async (query: LatencyQuery, options = {}) => {
      const { quantile } = query;
      if (!(quantile > 0 && quantile <= 1)) {
        throw badQuery(`quantile ${quantile} is not above 0 and at most 1`);
      }
      return await read(query, options, true, ({ durations }) => durations.quantileNano(quantile) / 1e6);
    },
  };
}

function rateMinutes({ ratePerMs }: MetricsQuery): number {
  return Math.max(1, Math.ceil(ratePerMs / minuteMs));
}

function badQuery(message: string): StorageError {
  return new StorageError("STORAGE_BAD_QUERY", message);
}

/** Times of the points in milliseconds since the Unix epoch. */
function* moments({ startUnixMs, endUnixMs, stepMs }: MetricsQuery): Generator<number> {
  for (let unixMs = startUnixMs; unixMs <= endUnixMs; unixMs += stepMs) {
    yield unixMs;
  }
}

/** @throws StorageError STORAGE_BAD_QUERY */
function slotsOf(query: MetricsQuery): MetricSlots {
  const { services, spanKinds, startUnixMs, endUnixMs, stepMs, ratePerMs } = query;
  if (services.length === 0) {
    throw badQuery("no service is given");
  }
  if (services.length > maxServices) {
    throw badQuery(`${services.length} services are over the limit of ${maxServices}`);
  }
  checkTexts(services);
  if (spanKinds.length === 0) {
    throw badQuery("no kind of span is given");
  }
  if (![startUnixMs, endUnixMs, stepMs, ratePerMs].every(Number.isSafeInteger) || startUnixMs < 0) {
    throw badQuery("start, end, step and rate must be whole milliseconds, and start not before 1970");
  }
  if (stepMs < 1) {
    throw badQuery(`a step of ${stepMs} ms is not above 0`);
  }
  if (ratePerMs < 1) {
    throw badQuery(`a rate per ${ratePerMs} ms is not above 0`);
  }
  const points = Math.floor((endUnixMs - startUnixMs) / stepMs) + 1;
  if (points > maxPoints) {
    throw badQuery(`${points} points are over the limit of ${maxPoints}`);
  }
  const minutes = rateMinutes(query);
  // A point's window starts and ends at slot boundaries only when both its length and the step are multiples of a slot.
  const slotMinutes = stepMs % minuteMs === 0 ? greatestDivisor(stepMs / minuteMs, minutes) : 1;
  const first = wholeMinute(startUnixMs) - minutes * minuteMs;
  const length = Math.max(0, wholeMinute(endUnixMs) - first);
  return { startUnixMs: first, slotMinutes, count: Math.ceil(length / (slotMinutes * minuteMs)) };
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other);
}

function wholeMinute(unixMs: number): number {
  return Math.floor(unixMs / minuteMs) * minuteMs;
}

/** Running sums over the slots of a point's window. The window only moves forward. */
class Window {
  calls = 0;
  errors = 0;
  readonly durations = new DurationCounts();
  readonly #counts: SeriesCounts;
  /** Indexes of the counts, sorted by slot. */
  readonly #order: Uint32Array;
  #entered = 0;
  #left = 0;

  constructor(counts: SeriesCounts, slots: number) {
    this.#counts = counts;
    this.#order = orderBySlot(counts.slots, slots);
  }

  /** Moves the window to the slots from `first` up to `end`, without `end` itself. */
  move(first: number, end: number): void {
    for (; this.#slotAt(this.#entered) < end; this.#entered++) {
      this.#add(this.#entered, 1);
    }
    for (; this.#left < this.#entered && this.#slotAt(this.#left) < first; this.#left++) {
      this.#add(this.#left, -1);
    }
  }

  #slotAt(position: number): number {
    const index = this.#order[position];
    return index === undefined ? Number.POSITIVE_INFINITY : (this.#counts.slots[index] as number);
  }

  #add(position: number, sign: number): void {
    const index = this.#order[position] as number;
    const { calls, errors, buckets } = this.#counts;
    const changed = sign * (calls[index] as number);
    this.calls += changed;
    this.errors += sign * (errors[index] ?? 0);
    this.durations.add(buckets[index] ?? 0, changed);
  }
}

function orderBySlot(slots: readonly number[], count: number): Uint32Array {
  const next = new Uint32Array(count + 1);
  for (const slot of slots) {
    next[slot + 1] = (next[slot + 1] ?? 0) + 1;
  }
  for (let slot = 1; slot < count; slot++) {
    next[slot] = (next[slot] as number) + (next[slot - 1] as number);
  }
  const order = new Uint32Array(slots.length);
  for (const [index, slot] of slots.entries()) {
    const position = next[slot] as number;
    order[position] = index;
    next[slot] = position + 1;
  }
  return order;
}

function seriesOf(
  query: MetricsQuery,
  slots: MetricSlots,
  counts: readonly SeriesCounts[],
  value: (window: Window) => number,
): MetricSeries[] {
  const slotMs = slots.slotMinutes * minuteMs;
  const perWindow = rateMinutes(query) / slots.slotMinutes;
  const series = counts.map((ofSeries) => {
    const { service, operation } = ofSeries;
    const window = new Window(ofSeries, slots.count);
    const points: MetricPoint[] = [];
    for (const unixMs of moments(query)) {
      const end = Math.floor((wholeMinute(unixMs) - slots.startUnixMs) / slotMs);
      window.move(end - perWindow, end);
      if (window.calls > 0) {
        points.push({ unixMs, value: value(window) });
      }
    }
    return { service, operation: query.groupByOperation ? operation : undefined, points };
  });
  return series
    .filter(({ points }) => points.length > 0)
    .sort(
      (one, other) =>
        byBytes(one.service, other.service) || byBytes(one.operation ?? "", other.operation ?? ""),
    );
}

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

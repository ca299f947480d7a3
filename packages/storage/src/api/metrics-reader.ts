import type { SpanKind } from "wire/model";
import type { CallCount } from "./call-counts.ts";
import type { GoodCount, GoodCountsQuery } from "./good-counts.ts";
import type { RankedRates, RankedRatesQuery } from "./ranked-rates.ts";
import type { SpanCount, SpanCountQuery } from "./span-counts.ts";
import type { ReadOptions } from "./span-reader.ts";

/** Which spans are counted, and for which moments. */
export interface MetricsQuery {
  /** At least one. */
  readonly services: readonly string[];
  /** At least one. */
  readonly spanKinds: readonly SpanKind[];
  /** A series for each operation, rather than one for each service. */
  readonly groupByOperation: boolean;
  /** Milliseconds since the Unix epoch: the moment of the first point. */
  readonly startUnixMs: number;
  /** The last point is at or before it. */
  readonly endUnixMs: number;
  /** Between points; at least 1, and so long that there are no more than 11,000 points. */
  readonly stepMs: number;
  /** Milliseconds that each point covers; rounded up to whole minutes. */
  readonly ratePerMs: number;
}

export interface LatencyQuery extends MetricsQuery {
  /** Above 0, at most 1. */
  readonly quantile: number;
}

export interface MetricPoint {
  /** Time in milliseconds since 1970. */
  readonly unixMs: number;
  /** Value at that time. */
  readonly value: number;
}

/** Points in order of time, never none; moments with no calls have none. */
export interface MetricSeries {
  /** Name of the service. */
  readonly service: string;
  /** Span name; undefined unless grouped by operation. */
  readonly operation: string | undefined;
  /** Points, the oldest first. */
  readonly points: readonly MetricPoint[];
}

/**
 * Rates, errors and durations, from counts by minute of the spans' start. A point covers the `ratePerMs` that
 * end with the last whole minute before it. Series are sorted by service, then operation. Every method throws
 * `StorageError`; STORAGE_BAD_QUERY for no services, no kinds, an invalid quantile, or too many points.
 */
export interface MetricsReader {
  /** Calls a second. */
  getCallRates(query: MetricsQuery, options?: ReadOptions): Promise<MetricSeries[]>;
  /** The share of calls that failed, 0 to 1. */
  getErrorRates(query: MetricsQuery, options?: ReadOptions): Promise<MetricSeries[]>;
  /** A quantile of durations in milliseconds, off by at most a tenth. */
  getLatencies(query: LatencyQuery, options?: ReadOptions): Promise<MetricSeries[]>;
  /**
   * A page of services or operations by how they are called, with curves. Ranking, filtering and paging are done by the
   * store: the answer does not grow with the number of names.
   */
  getRankedRates(query: RankedRatesQuery, options?: ReadOptions): Promise<RankedRates>;
  /** All and good spans of one service by step, the oldest first. */
  getGoodCounts(query: GoodCountsQuery, options?: ReadOptions): Promise<GoodCount[]>;
  /** Counts of all services, in no particular order. */
  getSpanCounts(query: SpanCountQuery, options?: ReadOptions): Promise<SpanCount[]>;
  /**
   * Calls between services by spans that start in these minutes, in no order. `DependencyReader` defines a
   * call. Calls from before the store recorded outcomes have no kind and no failure, and last a nanosecond.
   */
  getCallCounts(query: SpanCountQuery, options?: ReadOptions): Promise<CallCount[]>;
}

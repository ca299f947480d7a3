import type { SpanKind } from "wire/model";
import type { CallCount } from "./call-counts.ts";
import type { GoodCount, GoodCountsQuery } from "./good-counts.ts";
import type { RankedRates, RankedRatesQuery } from "./ranked-rates.ts";
import type { SpanCount, SpanCountQuery } from "./span-counts.ts";
import type { ReadOptions } from "./span-reader.ts";

/** Selects the spans to count, and the times of the points. */
export interface MetricsQuery {
  /** Names of services; at least one. */
  readonly services: readonly string[];
  /** Kinds of spans to count; at least one. */
  readonly spanKinds: readonly SpanKind[];
  /** True: one series for each operation. False: one series for each service. */
  readonly groupByOperation: boolean;
  /** Time of the first point in milliseconds since the Unix epoch. */
  readonly startUnixMs: number;
  /** End of the time range. The last point is at or before this time. */
  readonly endUnixMs: number;
  /** Milliseconds between points; at least 1. More than 11,000 points are refused. */
  readonly stepMs: number;
  /** Length of the window before each point in milliseconds, rounded up to whole minutes. */
  readonly ratePerMs: number;
}

export interface LatencyQuery extends MetricsQuery {
  /** The quantile: above 0, at most 1. */
  readonly quantile: number;
}

export interface MetricPoint {
  readonly unixMs: number;
  readonly value: number;
}

/** A series with at least one point. Times without calls have no point. */
export interface MetricSeries {
  readonly service: string;
  /** Span name; undefined unless the query groups by operation. */
  readonly operation: string | undefined;
  /** Points, the oldest first. */
  readonly points: readonly MetricPoint[];
}

/**
 * Rates, errors and durations, computed from counts by minute of the span's start. A point's window has length
 * `ratePerMs` and ends with the last whole minute before the point. Series are sorted by service, then operation. Every
 * method throws `StorageError`; STORAGE_BAD_QUERY for no services, no kinds, an invalid quantile, or too many points.
 */
export interface MetricsReader {
  /** Calls per second. */
  getCallRates(query: MetricsQuery, options?: ReadOptions): Promise<MetricSeries[]>;
  /** The share of calls that failed, 0 to 1. */
  getErrorRates(query: MetricsQuery, options?: ReadOptions): Promise<MetricSeries[]>;
  /** A quantile of durations in milliseconds, accurate to 10 %. */
  getLatencies(query: LatencyQuery, options?: ReadOptions): Promise<MetricSeries[]>;
  /**
   * One page of services or operations, ranked by their figures, with their curves over time. The store ranks, filters
   * and pages, so that the size of the answer does not grow with the number of names.
   */
  getRankedRates(query: RankedRatesQuery, options?: ReadOptions): Promise<RankedRates>;
  /** Counts of all spans and of good spans of one service, for each step, oldest first. */
  getGoodCounts(query: GoodCountsQuery, options?: ReadOptions): Promise<GoodCount[]>;
  /** Counts of all services, in no particular order. */
  getSpanCounts(query: SpanCountQuery, options?: ReadOptions): Promise<SpanCount[]>;
  /**
   * Calls between services whose spans start in the query's minutes, in no particular order. `DependencyReader` defines
   * a call. Calls that older versions stored without outcomes have no kind, no failure and a duration of 1 nanosecond.
   */
  getCallCounts(query: SpanCountQuery, options?: ReadOptions): Promise<CallCount[]>;
}

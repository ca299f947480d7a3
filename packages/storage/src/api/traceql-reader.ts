import type { TraceQlQuery } from "traceql";
import type { AttributeValue } from "wire/model";
import type { AdjustedCounts } from "./adjusted-counts.ts";
import type { TimeRange } from "./analysis-reader.ts";
import type { ReadOptions } from "./span-reader.ts";

/** A query of type `search` that `parseTraceQl` has checked; STORAGE_BAD_QUERY for other types. */
export interface TraceQlSearchQuery {
  /** Parsed query. */
  readonly query: TraceQlQuery;
  /** A span takes part when it starts within it. */
  readonly range: TimeRange;
  /** Most traces to return, 1 to 10,000. */
  readonly limit: number;
  /** Most spans to return of each spanset, the first by start. 0 to 10,000; 0 means 10,000. */
  readonly spansPerSpanset: number;
}

/** A value, with its name in the query's text, such as `span.http.method`. */
export type TraceQlAttribute = readonly [key: string, value: AttributeValue];

export interface TraceQlSpan {
  /** 16 lower-case hex digits. */
  readonly spanId: string;
  /** Name of the span. */
  readonly name: string;
  /** Start of the span. */
  readonly startUnixNano: bigint;
  /** Duration in nanoseconds. */
  readonly durationNano: bigint;
  /**
   * Attributes that the query's conditions, `by` and `select` name, as far as the span has them;
   * `service.name` is always first.
   */
  readonly attributes: readonly TraceQlAttribute[];
}

export interface TraceQlSpanSet {
  /** Number of spans in the spanset, including those left out. */
  readonly matched: number;
  /** Values of the set, in the query's text: `by(…)` and aggregates such as `count()`. */
  readonly attributes: readonly TraceQlAttribute[];
  /** Ordered by start, then id. */
  readonly spans: readonly TraceQlSpan[];
}

/** Figures of one service in a trace. */
export interface TraceQlServiceStats {
  /** Spans of the service in the trace. */
  readonly spanCount: number;
  /** Number of those that failed. */
  readonly errorCount: number;
}

export interface TraceQlMatch {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** The service of the trace's root span when it starts at most an hour outside the range; otherwise "". */
  readonly rootServiceName: string;
  /** Name of the root span; "" while it is not stored. */
  readonly rootTraceName: string;
  /**
   * From the first start to the last end of the trace's spans that start at most an hour outside the range.
   */
  readonly startUnixNano: bigint;
  /** Time from the first start to the last end of its spans. */
  readonly durationNano: bigint;
  /** Counts by service. */
  readonly serviceStats: ReadonlyMap<string, TraceQlServiceStats>;
  /** At least one; `by(…)` makes several. */
  readonly spanSets: readonly TraceQlSpanSet[];
}

export interface TraceQlSearch {
  /** Newest first, by the newest span that matches. */
  readonly traces: readonly TraceQlMatch[];
  /** Number of spans that the search read after the indexes had excluded others; for orientation only. */
  readonly inspectedSpans: number;
}

/** A checked query of type `metrics`. */
export interface TraceQlMetricsQuery {
  /** Parsed query with a metric at its end. */
  readonly query: TraceQlQuery;
  /**
   * A span counts when it starts within the range. Samples are at the multiples of the step. The sample at
   * `t` counts the spans after `t - step` up to `t`, as in Tempo.
   */
  readonly range: TimeRange;
  /** Nanoseconds; at least 1 millisecond, and at most 11,000 samples of each series. */
  readonly stepNano: bigint;
  /**
   * Most series to return, 1 to 10,000. When there are more, those with the largest sums stay, and
   * `truncated` is set.
   */
  readonly maxSeries: number;
  /** True: return exemplars, one for each sample; false by default. */
  readonly exemplars?: boolean;
}

export interface TraceQlSample {
  /** End of the interval that it is of. */
  readonly unixNano: bigint;
  /** Value of the step. */
  readonly value: number;
}

/** A span that is an example of a sample. */
export interface TraceQlExemplar {
  /** Trace of the example. */
  readonly traceId: string;
  /** Span of the example. */
  readonly spanId: string;
  /** Start of the span. */
  readonly unixNano: bigint;
  /** The span's own value, such as its duration. */
  readonly value: number;
}

export interface TraceQlSeries {
  /**
   * Labels with Tempo's names. `by(…)` in the query's text, with value type `empty` for spans without it.
   * `p`, a double, for `quantile_over_time`. `__bucket`, a double, for `histogram_over_time`: the upper
   * bound, in seconds for durations. `__name__`, the function, when a series has no other label.
   */
  readonly labels: readonly TraceQlAttribute[];
  /**
   * Ordered by time. Counts and rates have a sample at each step, which may be 0; other functions only where
   * they have a value.
   */
  readonly samples: readonly TraceQlSample[];
  /** Examples of spans behind the values. */
  readonly exemplars: readonly TraceQlExemplar[];
}

export interface TraceQlMetrics {
  /** Ordered by labels. */
  readonly series: readonly TraceQlSeries[];
  /** True when series were left out for `maxSeries`. */
  readonly truncated: boolean;
  /** Spans that were read for the answer. */
  readonly inspectedSpans: number;
  /**
   * Present when the query says `with(adjusted=true)`: the values then count what sampled spans stand for. It
   * covers all spans that the query counts, those of several pipelines together.
   */
  readonly adjusted?: AdjustedSpans | undefined;
}

/** The spans that a query counts, and what they stand for. */
export interface AdjustedSpans extends AdjustedCounts {
  /** Number of stored spans. */
  readonly spans: number;
}

/** Spans of a metrics query with the same values of `by(…)`, whose durations or other numbers are counted. */
export interface TraceQlGroup {
  /** In the order of `by(…)`; of type `empty` for spans without it. */
  readonly values: readonly AttributeValue[];
  /** Spans of the group. */
  readonly spans: number;
  /** The greatest number; nanoseconds for durations. */
  readonly greatest: number;
  /** Spans by `floatBucket` of their number. */
  readonly buckets: ReadonlyMap<number, number>;
}

/** Answers TraceQL. Every method throws `StorageError`. */
export interface TraceQlReader {
  /** Traces with spans that match. */
  search(request: TraceQlSearchQuery, options?: ReadOptions): Promise<TraceQlSearch>;
  /** Series of a metric query. */
  metrics(request: TraceQlMetricsQuery, options?: ReadOptions): Promise<TraceQlMetrics>;
  /**
   * The sums behind the metrics of one `quantile_over_time`, over the whole range, in one read. STORAGE_BAD_QUERY for
   * another query.
   */
  groups(
    request: Pick<TraceQlMetricsQuery, "query" | "range">,
    options?: ReadOptions,
  ): Promise<TraceQlGroup[]>;
}

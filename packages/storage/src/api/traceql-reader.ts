import type { TraceQlQuery } from "traceql";
import type { AttributeValue } from "wire/model";
import type { AdjustedCounts } from "./adjusted-counts.ts";
import type { TimeRange } from "./analysis-reader.ts";
import type { ReadOptions } from "./span-reader.ts";

/** A query of type `search` from `parseTraceQl`. Queries of other types fail with STORAGE_BAD_QUERY. */
export interface TraceQlSearchQuery {
  /** Parsed query. */
  readonly query: TraceQlQuery;
  /** Time range. Spans that start outside of the range are ignored. */
  readonly range: TimeRange;
  /** Maximum number of traces in the result, 1 to 10,000. */
  readonly limit: number;
  /** Maximum number of spans of each spanset in the result, earliest first, from 0 to 10,000; 0 means 10,000. */
  readonly spansPerSpanset: number;
}

/** A value with its name as the query writes it, such as `span.http.method`. */
export type TraceQlAttribute = readonly [key: string, value: AttributeValue];

export interface TraceQlSpan {
  /** 16 lower-case hex digits. */
  readonly spanId: string;
  readonly name: string;
  readonly startUnixNano: bigint;
  readonly durationNano: bigint;
  /**
   * Attributes that the query's conditions, `by` and `select` name, if the span has them. `service.name` is always
   * first.
   */
  readonly attributes: readonly TraceQlAttribute[];
}

export interface TraceQlSpanSet {
  /** Number of spans in the spanset, including spans that are left out of the result. */
  readonly matched: number;
  /** Values of the spanset, named as in the query: `by(…)` and aggregates such as `count()`. */
  readonly attributes: readonly TraceQlAttribute[];
  /** Ordered by start, then id. */
  readonly spans: readonly TraceQlSpan[];
}

/** Figures of one service in a trace. */
export interface TraceQlServiceStats {
  /** Number of spans of the service in the trace. */
  readonly spanCount: number;
  /** Number of failed spans. */
  readonly errorCount: number;
}

export interface TraceQlMatch {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** Service of the root span; "" when no root span starts in the range or within an hour around it. */
  readonly rootServiceName: string;
  /** Name of the root span; "" while the root span is not stored. */
  readonly rootTraceName: string;
  /** First start of the trace's spans. Spans that start more than an hour outside the range are ignored. */
  readonly startUnixNano: bigint;
  /** Time from the first start to the last end of its spans. */
  readonly durationNano: bigint;
  /** Counts by service. */
  readonly serviceStats: ReadonlyMap<string, TraceQlServiceStats>;
  /** Matching spansets; at least one. `by(…)` makes several. */
  readonly spanSets: readonly TraceQlSpanSet[];
}

export interface TraceQlSearch {
  /** Traces, newest first by their newest matching span. */
  readonly traces: readonly TraceQlMatch[];
  /**
   * Number of spans that the search read; spans that indexes excluded are not counted. The number is only for
   * information.
   */
  readonly inspectedSpans: number;
}

/** A checked query of type `metrics`. */
export interface TraceQlMetricsQuery {
  /** Parsed query that ends with a metric. */
  readonly query: TraceQlQuery;
  /**
   * Time range. A span counts when it starts in the range. Samples are at multiples of the step. The sample at `t`
   * counts the spans after `t - step` up to `t`, as in Tempo.
   */
  readonly range: TimeRange;
  /** Step in nanoseconds; at least 1 millisecond. More than 11,000 samples of each series are refused. */
  readonly stepNano: bigint;
  /**
   * Maximum number of series in the result, 1 to 10,000. If there are more series, the series with the largest sums
   * stay, and `truncated` is set.
   */
  readonly maxSeries: number;
  /** True: the answer has one exemplar for each sample. Default: false. */
  readonly exemplars?: boolean;
}

export interface TraceQlSample {
  /** End of the sample's interval. */
  readonly unixNano: bigint;
  /** Value of the function in the interval. */
  readonly value: number;
}

/** An example span of a sample. */
export interface TraceQlExemplar {
  readonly traceId: string;
  readonly spanId: string;
  /** Start of the span. */
  readonly unixNano: bigint;
  /** The span's measured value, such as its duration. */
  readonly value: number;
}

export interface TraceQlSeries {
  /**
   * Labels with Tempo's names. An attribute of `by(…)` has the name from the query; for spans without it, the value has
   * the type `empty`. `p`, a double, for `quantile_over_time`. `__bucket`, a double, for `histogram_over_time`: the
   * upper bound, in seconds for durations. `__name__`, the name of the function, when a series has no other label.
   */
  readonly labels: readonly TraceQlAttribute[];
  /**
   * Ordered by time. Counts and rates have a sample at each step, even if it is 0; other functions have samples only
   * where a value exists.
   */
  readonly samples: readonly TraceQlSample[];
  /** Examples of spans behind the values. */
  readonly exemplars: readonly TraceQlExemplar[];
}

export interface TraceQlMetrics {
  /** Ordered by labels. */
  readonly series: readonly TraceQlSeries[];
  /** True when series were left out because of `maxSeries`. */
  readonly truncated: boolean;
  /** Number of spans that were read for the answer. */
  readonly inspectedSpans: number;
  /**
   * Present for queries with `with(adjusted=true)`, whose values are adjusted for sampling. It covers all spans that
   * the query counts, over all its pipelines.
   */
  readonly adjusted?: AdjustedSpans | undefined;
}

/** The spans that a query counts, with the estimated number of original spans. */
export interface AdjustedSpans extends AdjustedCounts {
  /** Number of stored spans. */
  readonly spans: number;
}

/** Spans of a metrics query with the same values of `by(…)`, counted by their duration or another number. */
export interface TraceQlGroup {
  /** Values in the order of `by(…)`; type `empty` for spans without the attribute. */
  readonly values: readonly AttributeValue[];
  /** Number of spans of the group. */
  readonly spans: number;
  /** Largest number in the group; nanoseconds for durations. */
  readonly greatest: number;
  /** Number of spans by `floatBucket` of their number. */
  readonly buckets: ReadonlyMap<number, number>;
}

/** Answers TraceQL. Methods fail with `StorageError`. */
export interface TraceQlReader {
  /** Traces with spans that match. */
  search(request: TraceQlSearchQuery, options?: ReadOptions): Promise<TraceQlSearch>;
  /** Series of a metric query. */
  metrics(request: TraceQlMetricsQuery, options?: ReadOptions): Promise<TraceQlMetrics>;
  /**
   * The histograms for one `quantile_over_time`, over the whole range, in one read. Other queries fail with
   * STORAGE_BAD_QUERY.
   */
  groups(
    request: Pick<TraceQlMetricsQuery, "query" | "range">,
    options?: ReadOptions,
  ): Promise<TraceQlGroup[]>;
}

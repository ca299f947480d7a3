import type { TraceQlQuery } from "traceql";
import type { AttributeValue } from "wire/model";
import type { TimeRange } from "./analysis-reader.ts";
import type { ReadOptions } from "./span-reader.ts";

/** A checked query of type `search`, as `parseTraceQl` gives it; others are refused with STORAGE_BAD_QUERY. */
export interface TraceQlSearchQuery {
  readonly query: TraceQlQuery;
  /** A span takes part when it starts within it. */
  readonly range: TimeRange;
  /** Most traces to return, 1 to 10,000. */
  readonly limit: number;
  /** Most spans to return of each spanset, the first by start; 0 to 10,000, where 0 means 10,000. */
  readonly spansPerSpanset: number;
}

/** A value with the name it was asked by. The text of the key is that of the query, such as `span.http.method`. */
export type TraceQlAttribute = readonly [key: string, value: AttributeValue];

export interface TraceQlSpan {
  /** 16 lower-case hex digits. */
  readonly spanId: string;
  readonly name: string;
  readonly startUnixNano: bigint;
  readonly durationNano: bigint;
  /** What the query's conditions, `by` and `select` name, where the span has it; `service.name` is always first. */
  readonly attributes: readonly TraceQlAttribute[];
}

export interface TraceQlSpanSet {
  /** Spans in it, those left out included. */
  readonly matched: number;
  /** Of the set: `by(…)` and aggregates such as `count()`, in the text of the query. */
  readonly attributes: readonly TraceQlAttribute[];
  /** By start, then id. */
  readonly spans: readonly TraceQlSpan[];
}

/** Of one service in a trace. */
export interface TraceQlServiceStats {
  readonly spanCount: number;
  readonly errorCount: number;
}

export interface TraceQlMatch {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** Of the trace's root span, where it starts at most an hour before or after the range; otherwise "". */
  readonly rootServiceName: string;
  readonly rootTraceName: string;
  /** From the first start to the last end of the trace's spans that start within an hour of the range. */
  readonly startUnixNano: bigint;
  readonly durationNano: bigint;
  readonly serviceStats: ReadonlyMap<string, TraceQlServiceStats>;
  /** At least one; several after `by(…)`. */
  readonly spanSets: readonly TraceQlSpanSet[];
}

export interface TraceQlSearch {
  /** Newest first, by the newest span that matches. */
  readonly traces: readonly TraceQlMatch[];
  /** Spans looked at by the search once the store's indexes had left out others; for orientation only. */
  readonly inspectedSpans: number;
}

/** A checked query of type `metrics`. */
export interface TraceQlMetricsQuery {
  readonly query: TraceQlQuery;
  /**
   * A span counts when it starts within it. Samples stand at the multiples of the step: the one at `t` counts the
   * spans from after `t - step` to `t`, as Tempo does.
   */
  readonly range: TimeRange;
  /** Nanoseconds; at least 1 millisecond, and at most 11,000 samples of each series. */
  readonly stepNano: bigint;
  /** Most series to return, 1 to 10,000. With more, the largest by sum stay, and `truncated` is set. */
  readonly maxSeries: number;
  /** Whether to look for exemplars, one for each sample; false by default. */
  readonly exemplars?: boolean;
}

export interface TraceQlSample {
  /** End of the interval that it is of. */
  readonly unixNano: bigint;
  readonly value: number;
}

/** A span that shows what a sample is made of. */
export interface TraceQlExemplar {
  readonly traceId: string;
  readonly spanId: string;
  readonly unixNano: bigint;
  readonly value: number;
}

export interface TraceQlSeries {
  /**
   * As Tempo names them: those of `by(…)` in the text of the query, of value type `empty` for spans without it; `p`, a double, for
   * `quantile_over_time`; `__bucket`, a double, the upper bound, in seconds for durations, for `histogram_over_time`;
   * `__name__`, the name of the function, where nothing else tells one series.
   */
  readonly labels: readonly TraceQlAttribute[];
  /** By time; only where the function has a value: counts and rates have one, maybe 0, at each. */
  readonly samples: readonly TraceQlSample[];
  readonly exemplars: readonly TraceQlExemplar[];
}

export interface TraceQlMetrics {
  /** By labels. */
  readonly series: readonly TraceQlSeries[];
  /** True when series were left out for `maxSeries`. */
  readonly truncated: boolean;
  readonly inspectedSpans: number;
}

/** Answers TraceQL. Every method throws `StorageError`. */
export interface TraceQlReader {
  search(request: TraceQlSearchQuery, options?: ReadOptions): Promise<TraceQlSearch>;
  metrics(request: TraceQlMetricsQuery, options?: ReadOptions): Promise<TraceQlMetrics>;
}

import type { TraceQlQuery } from "traceql";
import type { Span, SpanKind } from "wire/model";
import type { ReadOptions, TraceQuery } from "./span-reader.ts";

/** Conditions on single spans, as in a search. */
export type SpanFilter = Omit<TraceQuery, "limit">;

/** Spans by the conditions of a search, and by TraceQL. */
export interface SpanSelection extends SpanFilter {
  /** A query of type `search`, which the span must match as well. */
  readonly query?: TraceQlQuery;
}

/** A time range. Both ends are inclusive. */
export interface TimeRange {
  /** First nanosecond of the range, since 1970. */
  readonly startUnixNano: bigint;
  /** Last nanosecond of the range, since 1970. */
  readonly endUnixNano: bigint;
}

export interface HeatMapQuery extends Omit<SpanFilter, "startTimeMinUnixNano" | "startTimeMaxUnixNano"> {
  /** Time range in which the spans start. */
  readonly range: TimeRange;
  /** Columns of the map, 1 to 1,000. */
  readonly columns: number;
}

/** Spans that start in the same slice of time and have a similar duration. */
export interface HeatMapCell {
  /** Index of the column, from 0. */
  readonly column: number;
  /** `n` for durations from 2^n nanoseconds to less than 2^(n+1); 0 also for less than a nanosecond. */
  readonly durationLog2: number;
  /** Number of spans in the cell. Cells with 0 spans are left out. */
  readonly spans: number;
  /** Number of spans of the cell with an error. */
  readonly errors: number;
}

export interface HeatMap {
  /** Start of the first column. */
  readonly startUnixNano: bigint;
  /** Width of a column: column `n` begins at `startUnixNano + n * columnNano`. */
  readonly columnNano: bigint;
  /** Cells with spans, by column, then duration. */
  readonly cells: readonly HeatMapCell[];
}

export interface AttributeComparisonQuery {
  /**
   * The spans to explain. With a query, both times are required, because the query runs within them. STORAGE_BAD_QUERY
   * for a query that the store cannot turn into an exact condition.
   */
  readonly selection: SpanSelection;
  /** The spans to compare with: spans that match `background`, but not `selection`. */
  readonly background: SpanSelection;
  /** Maximum number of differences in the result; at least 1. */
  readonly limit: number;
  /**
   * Maximum number of spans read on each side, newest first; at least 1, 50,000 by default. When spans are spread over
   * a long time, an engine may read only a tenth of this number, but at least 1,000.
   */
  readonly maxSpans?: number;
}

/** An attribute whose share differs between the selection and the other spans. */
export interface AttributeDifference {
  readonly key: string;
  /** The value as text. */
  readonly value: string;
  /** Place of the attribute: the span, or its resource. */
  readonly place: "span" | "resource";
  /** Spans of the selection that have the value. */
  readonly selected: number;
  /** Spans outside the selection that have the value. */
  readonly others: number;
}

export interface AttributeComparison {
  /** Number of spans of the selection that were read. */
  readonly selectedSpans: number;
  /** Number of background spans that were read. Shares are computed with both numbers. */
  readonly otherSpans: number;
  /** Ordered by the difference of shares, largest first. */
  readonly differences: readonly AttributeDifference[];
}

/** Compares two populations of spans: two times, two versions, or any two conditions. */
export interface PopulationComparisonQuery {
  /** First group of spans. Both times are required. */
  readonly a: SpanSelection;
  /** Second group of spans. Spans that also belong to `a` are left out. Both times are required. */
  readonly b: SpanSelection;
  /** Maximum number of operations, and of attributes, in the result: 1 to 1,000. */
  readonly limit: number;
  /** Maximum number of spans of each side whose attributes are read: 1 to 200,000, 20,000 by default. */
  readonly maxSpans?: number;
}

/** Sums over spans of one side. */
export interface PopulationSums {
  /** Spans of this side that were added up. */
  readonly spans: number;
  /** Number of failed spans. */
  readonly errors: number;
  /** Sum of the durations in nanoseconds. A negative duration counts as 0. */
  readonly durationNano: number;
}

/** All spans of one side. */
export interface Population extends PopulationSums {
  /** Spans by bucket of duration; see `durationBucket`. */
  readonly buckets: readonly (readonly [bucket: number, spans: number])[];
  /** Longest duration in nanoseconds. */
  readonly longestNano: number;
}

/** An operation with the figures of all its spans. */
export interface ComparedOperation {
  readonly service: string;
  readonly operation: string;
  /**
   * Kind of the operation's spans; a server span and a client span with the same name belong to different operations.
   */
  readonly spanKind: SpanKind;
  /** Figures of the first side. */
  readonly a: Population;
  /** Figures of the second side. */
  readonly b: Population;
}

/** A value of an attribute, with the sampled spans that have the value. */
export interface ComparedAttribute {
  /** Place of the attribute: the span, or its resource. */
  readonly place: "span" | "resource";
  readonly key: string;
  /** The value as text. */
  readonly value: string;
  /** Sums of the first side. */
  readonly a: PopulationSums;
  /** Sums of the second side. */
  readonly b: PopulationSums;
}

/** Two populations side by side. */
export interface PopulationComparison {
  /** Figures of the first side. */
  readonly a: Population;
  /** Figures of the second side. */
  readonly b: Population;
  /** Ordered by the change of the operation's time per span, largest change first. */
  readonly operations: readonly ComparedOperation[];
  /** Sums over the spans whose attributes were read: all spans, or a sample when there are more than `maxSpans`. */
  readonly sample: { readonly a: PopulationSums; readonly b: PopulationSums };
  /** Ordered by `attributeScore`, largest first. */
  readonly attributes: readonly ComparedAttribute[];
}

export interface DurationRankQuery {
  readonly service: string;
  readonly operation: string;
  /** Kind of the spans. Absent: every kind. */
  readonly spanKind?: SpanKind;
  /** The duration to rank, in nanoseconds. */
  readonly durationNano: bigint;
  /** Time range in which the peers start. */
  readonly range: TimeRange;
}

/** The rank of a duration among the durations of comparable spans (peers). */
export interface DurationRank {
  /** Number of spans of the operation in the time range. */
  readonly peers: number;
  /** Share of peers with the same or a shorter duration, 0 to 1. */
  readonly percentile: number;
  /** Median of the peers, in nanoseconds. */
  readonly medianNano: number;
  /** 95th percentile of the peers' durations, in nanoseconds. */
  readonly p95Nano: number;
  /** 99th percentile of the peers' durations, in nanoseconds. */
  readonly p99Nano: number;
}

export interface DurationRanksQuery {
  /** The operations to rank, at most 10,000. */
  readonly operations: readonly (Omit<DurationRankQuery, "durationNano" | "range"> & {
    readonly durationsNano: readonly bigint[];
  })[];
  /** Time range in which the peers start, widened to whole minutes. */
  readonly range: TimeRange;
}

/** Ranks of several durations of one operation. */
export interface DurationRanks extends Omit<DurationRank, "percentile"> {
  /** For each duration, in the order of the query: share of peers with the same or a shorter duration, 0 to 1. */
  readonly percentiles: readonly number[];
}

export type OperationOrder = "calls" | "errors" | "duration" | "p95";

export interface TopOperationsQuery {
  /** Name of the service. Absent or "": every service. */
  readonly service?: string;
  /** Time range in which the spans start. */
  readonly range: TimeRange;
  /**
   * Sort key, highest value first: number of calls, number of errors, sum of durations, or 95th percentile. `duration`
   * by default.
   */
  readonly order?: OperationOrder;
  /** Maximum number of operations in the result; at least 1. */
  readonly limit: number;
}

/** Figures of an operation in the minutes that the query touches. */
export interface OperationSummary {
  readonly service: string;
  readonly operation: string;
  readonly spanKind: SpanKind;
  /** Spans with this service, operation and kind. */
  readonly calls: number;
  /** Number of failed spans. */
  readonly errors: number;
  /** Sum of the durations of all calls, in nanoseconds. A negative duration counts as 0. */
  readonly durationNano: number;
  /** Median duration in nanoseconds, accurate to 10 %. */
  readonly medianNano: number;
  /** 95th percentile of the duration in nanoseconds. */
  readonly p95Nano: number;
  /** 99th percentile of the duration in nanoseconds. */
  readonly p99Nano: number;
}

/** The share of an operation in the duration of the traces. */
export interface CriticalPathShare {
  readonly service: string;
  readonly operation: string;
  /** Time for which spans of this operation are on the critical path of their trace, in nanoseconds. */
  readonly durationNano: bigint;
  /** Number of traces with the operation on their critical path. */
  readonly traces: number;
}

export interface CriticalPathSums {
  /** Number of traces that were read. */
  readonly traces: number;
  /** Total length of all critical paths, in nanoseconds. */
  readonly durationNano: bigint;
  /** Operations, longest time first. */
  readonly operations: readonly CriticalPathShare[];
}

/**
 * The query of a feed. Its conditions must concern single spans; a query with other conditions fails with
 * STORAGE_BAD_QUERY.
 */
export interface TailQuery extends SpanSelection {
  /** The cursor of the previous answer. Absent: the feed starts now, and the first answer has no spans. */
  readonly cursor?: string;
  /** The cursor of a later answer: only spans that had arrived before it are returned. Absent: no upper bound. */
  readonly upTo?: string;
  /** Maximum number of spans in the answer, 1 to 10,000. */
  readonly limit: number;
}

export interface Tail {
  /** Spans that arrived after the cursor, in order of arrival. With more than `limit`, the newest are returned. */
  readonly spans: readonly Span[];
  /** Number of spans left out because of `limit`. */
  readonly skipped: number;
  /** The cursor for the next query; opaque to callers. */
  readonly cursor: string;
}

/** Answers queries about many spans at once. Methods fail with `StorageError`. */
export interface AnalysisReader {
  /** Number of spans by start time and duration, with the number of errors. */
  getHeatMap(query: HeatMapQuery, options?: ReadOptions): Promise<HeatMap>;
  /** Finds attributes that distinguish the selected spans from the background spans. */
  compareAttributes(query: AttributeComparisonQuery, options?: ReadOptions): Promise<AttributeComparison>;
  /** Compares two populations: durations, errors, operations and attributes. */
  comparePopulations(query: PopulationComparisonQuery, options?: ReadOptions): Promise<PopulationComparison>;
  /** @returns undefined when there are no peers */
  getDurationRank(query: DurationRankQuery, options?: ReadOptions): Promise<DurationRank | undefined>;
  /**
   * Like `getDurationRank`, for many operations in one call; the results have the order of the operations. It uses
   * counts by duration bucket, so durations are accurate to a tenth, and the peers in one bucket are assumed to be
   * spread evenly. The result is undefined without peers, and for names over 8 KiB, percent-encoded.
   */
  getDurationRanks(query: DurationRanksQuery, options?: ReadOptions): Promise<(DurationRanks | undefined)[]>;
  getTopOperations(query: TopOperationsQuery, options?: ReadOptions): Promise<OperationSummary[]>;
  /** Sums the critical paths of the traces that a search finds, at most 200 traces. */
  getCriticalPath(query: TraceQuery, options?: ReadOptions): Promise<CriticalPathSums>;
  /** Returns spans as they arrive. It is for watching, not for export: spans of a slow insert may be missed. */
  tail(query: TailQuery, options?: ReadOptions): Promise<Tail>;
}

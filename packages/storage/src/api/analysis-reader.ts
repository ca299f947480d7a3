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

/** Nanoseconds since the Unix epoch; inclusive. */
export interface TimeRange {
  /** First nanosecond of the range, since 1970. */
  readonly startUnixNano: bigint;
  /** Nanosecond behind the range. */
  readonly endUnixNano: bigint;
}

export interface HeatMapQuery extends Omit<SpanFilter, "startTimeMinUnixNano" | "startTimeMaxUnixNano"> {
  /** Times of the spans' starts. */
  readonly range: TimeRange;
  /** Columns of the map, 1 to 1,000. */
  readonly columns: number;
}

/** Spans that start in one slice of time and last about as long. */
export interface HeatMapCell {
  /** Index of the column, from 0. */
  readonly column: number;
  /** `n` for durations from 2^n nanoseconds to less than 2^(n+1); 0 also for less than a nanosecond. */
  readonly durationLog2: number;
  /** Spans in the cell; 0 is left out. */
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
   * The spans to explain. With a query, both times are required, because it runs within them.
   * STORAGE_BAD_QUERY for a query that the store cannot turn into an exact condition.
   */
  readonly selection: SpanSelection;
  /** The spans to compare with: those that match this and not the selection. */
  readonly background: SpanSelection;
  /** Most differences to return; at least 1. */
  readonly limit: number;
  /**
   * Most spans read on each side, newest first; at least 1, 50,000 by default. An engine may read a tenth of
   * that, but at least 1,000, when the spans lie far apart.
   */
  readonly maxSpans?: number;
}

/** An attribute that is more, or less, frequent in the selection. */
export interface AttributeDifference {
  /** Name of the attribute. */
  readonly key: string;
  /** The value as text. */
  readonly value: string;
  /** Whether the span or its resource has the attribute. */
  readonly place: "span" | "resource";
  /** Spans of the selection that have the value. */
  readonly selected: number;
  /** Spans outside the selection that have the value. */
  readonly others: number;
}

export interface AttributeComparison {
  /** Number of spans that were read. */
  readonly selectedSpans: number;
  /** Number of spans outside the selection, which shares are made with. */
  readonly otherSpans: number;
  /** Ordered by the difference of shares, largest first. */
  readonly differences: readonly AttributeDifference[];
}

/** Compares two populations of spans: two times, two versions, or any two conditions. */
export interface PopulationComparisonQuery {
  /** The spans in question. Both times are required. */
  readonly a: SpanSelection;
  /** The spans that they are compared with; those of `a` are left out. Both times are required. */
  readonly b: SpanSelection;
  /** Most operations, and most attributes, to return: 1 to 1,000. */
  readonly limit: number;
  /** Most spans of each side whose attributes are read: 1 to 200,000, 20,000 by default. */
  readonly maxSpans?: number;
}

/** Sums over spans of one side. */
export interface PopulationSums {
  /** Number of spans. */
  readonly spans: number;
  /** Number of those that failed. */
  readonly errors: number;
  /** Negative durations count as 0. */
  readonly durationNano: number;
}

/** All spans of one side. */
export interface Population extends PopulationSums {
  /** Spans by bucket of duration; see `durationBucket`. */
  readonly buckets: readonly (readonly [bucket: number, spans: number])[];
  /** Longest duration in nanoseconds. */
  readonly longestNano: number;
}

/** An operation, with all of its spans. */
export interface ComparedOperation {
  /** Name of the service. */
  readonly service: string;
  /** Name of the operation. */
  readonly operation: string;
  /** Kind of its spans: a server span and a client span of one name differ. */
  readonly spanKind: SpanKind;
  /** Figures of the first side. */
  readonly a: Population;
  /** Figures of the second side. */
  readonly b: Population;
}

/** A value of an attribute, with those spans of the samples that have it. */
export interface ComparedAttribute {
  /** Whether the span or its process has the attribute. */
  readonly place: "span" | "resource";
  /** Name of the attribute. */
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
  /** By the change of the time that they take of each span of their side, largest first. */
  readonly operations: readonly ComparedOperation[];
  /** The spans whose attributes were read; all, unless there are more than `maxSpans`. */
  readonly sample: { readonly a: PopulationSums; readonly b: PopulationSums };
  /** By `attributeScore`, largest first. */
  readonly attributes: readonly ComparedAttribute[];
}

export interface DurationRankQuery {
  /** Name of the service. */
  readonly service: string;
  /** Name of the operation. */
  readonly operation: string;
  /** Absent: every kind. */
  readonly spanKind?: SpanKind;
  /** Duration whose rank is asked for, in nanoseconds. */
  readonly durationNano: bigint;
  /** The time in which the peers start. */
  readonly range: TimeRange;
}

/** The rank of a duration among the durations of its peers. */
export interface DurationRank {
  /** Spans of the operation in the time around it. */
  readonly peers: number;
  /** The share of peers that last no longer, 0 to 1. */
  readonly percentile: number;
  /** Median of the peers, in nanoseconds. */
  readonly medianNano: number;
  /** Duration that 95 % of them do not exceed. */
  readonly p95Nano: number;
  /** Duration that 99 % of them do not exceed. */
  readonly p99Nano: number;
}

export interface DurationRanksQuery {
  /** At most 10,000. */
  readonly operations: readonly (Omit<DurationRankQuery, "durationNano" | "range"> & {
    readonly durationsNano: readonly bigint[];
  })[];
  /** The time in which the peers start, widened to whole minutes. */
  readonly range: TimeRange;
}

/** The ranks of durations among those of their peers. */
export interface DurationRanks extends Omit<DurationRank, "percentile"> {
  /** For each duration, in order: the share of peers that last no longer, 0 to 1. */
  readonly percentiles: readonly number[];
}

export type OperationOrder = "calls" | "errors" | "duration" | "p95";

export interface TopOperationsQuery {
  /** Every service when absent or "". */
  readonly service?: string;
  /** Times of the spans' starts. */
  readonly range: TimeRange;
  /** Highest first: number of calls, of errors, sum of durations, or 95th percentile; `duration` by default. */
  readonly order?: OperationOrder;
  /** At least 1. */
  readonly limit: number;
}

/** Figures of an operation in the minutes that the query touches. */
export interface OperationSummary {
  /** Name of the service. */
  readonly service: string;
  /** Name of the operation. */
  readonly operation: string;
  /** Kind of the spans. */
  readonly spanKind: SpanKind;
  /** Number of spans. */
  readonly calls: number;
  /** Number of those that failed. */
  readonly errors: number;
  /** Sum for all calls; negative durations count as 0. */
  readonly durationNano: number;
  /** Accurate to a tenth. */
  readonly medianNano: number;
  /** 95th percentile of the duration in nanoseconds. */
  readonly p95Nano: number;
  /** 99th percentile of the duration in nanoseconds. */
  readonly p99Nano: number;
}

/** The share of the traces' time that an operation causes. */
export interface CriticalPathShare {
  /** Name of the service. */
  readonly service: string;
  /** Name of the operation. */
  readonly operation: string;
  /** Time that spans of this operation lie on the critical path of their trace. */
  readonly durationNano: bigint;
  /** Number of traces whose critical path contains it. */
  readonly traces: number;
}

export interface CriticalPathSums {
  /** Number of traces that were read. */
  readonly traces: number;
  /** Total length of all critical paths. */
  readonly durationNano: bigint;
  /** Longest first. */
  readonly operations: readonly CriticalPathShare[];
}

/** The query of a feed. It must be about single spans: STORAGE_BAD_QUERY for others. */
export interface TailQuery extends SpanSelection {
  /** The cursor of the last answer; absent: begin now, without spans. */
  readonly cursor?: string;
  /** The cursor of a later answer: return only spans that had arrived by then. Absent: all spans. */
  readonly upTo?: string;
  /** Most spans to return, 1 to 10,000. */
  readonly limit: number;
}

export interface Tail {
  /** Spans that arrived after the cursor, in order of arrival; the newest `limit` of them. */
  readonly spans: readonly Span[];
  /** Spans left out because there were more than `limit`. */
  readonly skipped: number;
  /** The cursor for the next query; opaque to callers. */
  readonly cursor: string;
}

/** Answers questions about many spans at once. Every method throws `StorageError`. */
export interface AnalysisReader {
  /** How long spans last, and how many fail, over time. */
  getHeatMap(query: HeatMapQuery, options?: ReadOptions): Promise<HeatMap>;
  /** Finds attributes that distinguish some spans from others. */
  compareAttributes(query: AttributeComparisonQuery, options?: ReadOptions): Promise<AttributeComparison>;
  /** Two populations side by side: durations, errors, operations and attributes. */
  comparePopulations(query: PopulationComparisonQuery, options?: ReadOptions): Promise<PopulationComparison>;
  /** undefined when there are no peers. */
  getDurationRank(query: DurationRankQuery, options?: ReadOptions): Promise<DurationRank | undefined>;
  /**
   * As `getDurationRank`, for many operations at once, in their order. It uses counts by duration, so
   * durations are accurate to a tenth, and peers with about the same duration are spread evenly.
   */
  getDurationRanks(query: DurationRanksQuery, options?: ReadOptions): Promise<(DurationRanks | undefined)[]>;
  getTopOperations(query: TopOperationsQuery, options?: ReadOptions): Promise<OperationSummary[]>;
  /** Over the traces that a search finds, at most 200. */
  getCriticalPath(query: TraceQuery, options?: ReadOptions): Promise<CriticalPathSums>;
  /**
   * Spans as they arrive. It is for watching, not for export: a block that takes long to insert may be missed.
   */
  tail(query: TailQuery, options?: ReadOptions): Promise<Tail>;
}

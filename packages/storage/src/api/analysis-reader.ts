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
  readonly startUnixNano: bigint;
  readonly endUnixNano: bigint;
}

export interface HeatMapQuery extends Omit<SpanFilter, "startTimeMinUnixNano" | "startTimeMaxUnixNano"> {
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
  readonly spans: number;
  /** Number of spans of the cell with an error. */
  readonly errors: number;
}

export interface HeatMap {
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
  readonly key: string;
  /** The value as text. */
  readonly value: string;
  /** Whether the span or its resource has the attribute. */
  readonly place: "span" | "resource";
  readonly selected: number;
  readonly others: number;
}

export interface AttributeComparison {
  /** Number of spans that were read. */
  readonly selectedSpans: number;
  readonly otherSpans: number;
  /** Ordered by the difference of shares, largest first. */
  readonly differences: readonly AttributeDifference[];
}

/** Compares two populations of spans: two times, two versions, or whatever conditions tell apart. */
export interface PopulationComparisonQuery {
  /** The spans that one wonders about. Both times are required. */
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
  readonly spans: number;
  readonly errors: number;
  /** Negative durations count as 0. */
  readonly durationNano: number;
}

/** All spans of one side. */
export interface Population extends PopulationSums {
  /** Spans by bucket of duration; see `durationBucket`. */
  readonly buckets: readonly (readonly [bucket: number, spans: number])[];
  readonly longestNano: number;
}

/** An operation, with all of its spans. */
export interface ComparedOperation {
  readonly service: string;
  readonly operation: string;
  readonly spanKind: SpanKind;
  readonly a: Population;
  readonly b: Population;
}

/** A value of an attribute, with those spans of the samples that have it. */
export interface ComparedAttribute {
  readonly place: "span" | "resource";
  readonly key: string;
  /** The value as text. */
  readonly value: string;
  readonly a: PopulationSums;
  readonly b: PopulationSums;
}

/** Two populations side by side. */
export interface PopulationComparison {
  readonly a: Population;
  readonly b: Population;
  /** By the change of the time that they take of each span of their side, largest first. */
  readonly operations: readonly ComparedOperation[];
  /** The spans whose attributes were read; all, unless there are more than `maxSpans`. */
  readonly sample: { readonly a: PopulationSums; readonly b: PopulationSums };
  /** By `attributeScore`, largest first. */
  readonly attributes: readonly ComparedAttribute[];
}

export interface DurationRankQuery {
  readonly service: string;
  readonly operation: string;
  /** Absent: every kind. */
  readonly spanKind?: SpanKind;
  readonly durationNano: bigint;
  /** The time in which the peers start. */
  readonly range: TimeRange;
}

/** The rank of a duration among the durations of its peers. */
export interface DurationRank {
  readonly peers: number;
  /** The share of peers that last no longer, 0 to 1. */
  readonly percentile: number;
  /** Median of the peers, in nanoseconds. */
  readonly medianNano: number;
  readonly p95Nano: number;
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
  readonly range: TimeRange;
  /** Highest first: number of calls, of errors, sum of durations, or 95th percentile; `duration` by default. */
  readonly order?: OperationOrder;
  /** At least 1. */
  readonly limit: number;
}

/** Figures of an operation in the minutes that the query touches. */
export interface OperationSummary {
  readonly service: string;
  readonly operation: string;
  readonly spanKind: SpanKind;
  readonly calls: number;
  readonly errors: number;
  /** Sum for all calls; negative durations count as 0. */
  readonly durationNano: number;
  /** Accurate to a tenth. */
  readonly medianNano: number;
  readonly p95Nano: number;
  readonly p99Nano: number;
}

/** How much of the traces' time an operation is to blame for. */
export interface CriticalPathShare {
  readonly service: string;
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
   * Spans as they arrive. It shows what happens and is no export: a block that takes long to insert may be
   * missed.
   */
  tail(query: TailQuery, options?: ReadOptions): Promise<Tail>;
}

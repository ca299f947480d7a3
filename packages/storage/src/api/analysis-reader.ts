import type { TraceQlQuery } from "traceql";
import type { Span, SpanKind } from "wire/model";
import type { ReadOptions, TraceQuery } from "./span-reader.ts";

/** Spans, each by itself: the conditions of a search. */
export type SpanFilter = Omit<TraceQuery, "limit">;

/** Spans by the conditions of a search, and by TraceQL. */
export interface SpanSelection extends SpanFilter {
  /** A query of type `search`: the span must be one that it selects, too. */
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
  /** From 0. */
  readonly column: number;
  /** `n` for durations from 2^n nanoseconds to less than 2^(n+1); 0 also for less than a nanosecond. */
  readonly durationLog2: number;
  readonly spans: number;
  /** Of these, with an error. */
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
   * The spans that somebody wonders about. With a query it has both times, within which the query is asked; STORAGE_BAD_QUERY
   * for one of which the store can tell no exact condition.
   */
  readonly selection: SpanSelection;
  /** What they are compared with: spans that match this, and not the selection. */
  readonly background: SpanSelection;
  /** Most differences to return; at least 1. */
  readonly limit: number;
  /**
   * Most spans looked at on each side, the newest; at least 1, 50,000 by default. An engine may look at a tenth, but at 1,000,
   * where they lie far apart.
   */
  readonly maxSpans?: number;
}

/** An attribute that is more, or less, frequent in the selection. */
export interface AttributeDifference {
  readonly key: string;
  /** In text form. */
  readonly value: string;
  /** Of the span, or of its resource. */
  readonly place: "span" | "resource";
  readonly selected: number;
  readonly others: number;
}

export interface AttributeComparison {
  /** Spans looked at. */
  readonly selectedSpans: number;
  readonly otherSpans: number;
  /** By the difference of their shares, largest first. */
  readonly differences: readonly AttributeDifference[];
}

export interface DurationRankQuery {
  readonly service: string;
  readonly operation: string;
  /** Every kind when absent. */
  readonly spanKind?: SpanKind;
  readonly durationNano: bigint;
  /** When the peers start. */
  readonly range: TimeRange;
}

/** Where a duration stands among those of its peers. */
export interface DurationRank {
  readonly peers: number;
  /** The share of peers that last no longer, 0 to 1. */
  readonly percentile: number;
  /** Of the peers, nanoseconds. */
  readonly medianNano: number;
  readonly p95Nano: number;
  readonly p99Nano: number;
}

export interface DurationRanksQuery {
  /** At most 10,000. */
  readonly operations: readonly (Omit<DurationRankQuery, "durationNano" | "range"> & {
    readonly durationsNano: readonly bigint[];
  })[];
  /** When the peers start; in whole minutes, those that it touches. */
  readonly range: TimeRange;
}

/** Where durations stand among those of their peers. */
export interface DurationRanks extends Omit<DurationRank, "percentile"> {
  /** Of each duration, in their order: the share of peers that last no longer, 0 to 1. */
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

/** What an operation did in the minutes that the query touches. */
export interface OperationSummary {
  readonly service: string;
  readonly operation: string;
  readonly spanKind: SpanKind;
  readonly calls: number;
  readonly errors: number;
  /** Of all calls together; negative ones count as 0. */
  readonly durationNano: number;
  /** Off by at most a tenth. */
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
  /** Traces whose critical path it lies on. */
  readonly traces: number;
}

export interface CriticalPathSums {
  /** Traces looked at. */
  readonly traces: number;
  /** Of all critical paths together. */
  readonly durationNano: bigint;
  /** Longest first. */
  readonly operations: readonly CriticalPathShare[];
}

/** A query in it must ask for single spans: STORAGE_BAD_QUERY for others. */
export interface TailQuery extends SpanSelection {
  /** From the answer before; absent: begin now, with nothing. */
  readonly cursor?: string;
  /** From an answer after that: only what had arrived by then. Absent: all there is. */
  readonly upTo?: string;
  /** Most spans to return, 1 to 10,000. */
  readonly limit: number;
}

export interface Tail {
  /** What has arrived since the cursor, the newest `limit` of it, in order of arrival. */
  readonly spans: readonly Span[];
  /** Spans left out because there were more than `limit`. */
  readonly skipped: number;
  readonly cursor: string;
}

/** Answers questions about many spans at once. Every method throws `StorageError`. */
export interface AnalysisReader {
  /** How long spans last, and how many fail, over time. */
  getHeatMap(query: HeatMapQuery, options?: ReadOptions): Promise<HeatMap>;
  /** What sets some spans apart from others. */
  compareAttributes(query: AttributeComparisonQuery, options?: ReadOptions): Promise<AttributeComparison>;
  /** undefined when there are no peers. */
  getDurationRank(query: DurationRankQuery, options?: ReadOptions): Promise<DurationRank | undefined>;
  /**
   * The same for many operations at once, in their order, from counts by duration: durations are off by at most a tenth,
   * and how many peers last about as long is shared out evenly.
   */
  getDurationRanks(query: DurationRanksQuery, options?: ReadOptions): Promise<(DurationRanks | undefined)[]>;
  getTopOperations(query: TopOperationsQuery, options?: ReadOptions): Promise<OperationSummary[]>;
  /** Over the traces that a search finds, at most 200. */
  getCriticalPath(query: TraceQuery, options?: ReadOptions): Promise<CriticalPathSums>;
  /** Spans as they arrive. A look, not an export: a block that takes long to be written may be missed. */
  tail(query: TailQuery, options?: ReadOptions): Promise<Tail>;
}

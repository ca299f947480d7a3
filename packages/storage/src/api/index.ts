export type { AdjustedCounts } from "./adjusted-counts.ts";
export type {
  AnalysisReader,
  AttributeComparison,
  AttributeComparisonQuery,
  AttributeDifference,
  ComparedAttribute,
  ComparedOperation,
  CriticalPathShare,
  CriticalPathSums,
  DurationRank,
  DurationRankQuery,
  DurationRanks,
  DurationRanksQuery,
  HeatMap,
  HeatMapCell,
  HeatMapQuery,
  OperationOrder,
  OperationSummary,
  Population,
  PopulationComparison,
  PopulationComparisonQuery,
  PopulationSums,
  SpanFilter,
  SpanSelection,
  Tail,
  TailQuery,
  TimeRange,
  TopOperationsQuery,
} from "./analysis-reader.ts";
export type { ArchiveStore } from "./archive-store.ts";
export { type AskedTime, concerns, refusePartial, withinTime } from "./asked-time.ts";
export {
  type AttributeCatalog,
  type AttributeName,
  type AttributeNamesQuery,
  type AttributeScope,
  type AttributeValuesQuery,
  attributeScopes,
  type CatalogValue,
  type CatalogValueType,
} from "./attribute-catalog.ts";
export type { CallCount } from "./call-counts.ts";
export { type CriticalPathSection, criticalPath, criticalPathSums, type PathSpan } from "./critical-path.ts";
export type { DependencyLink, DependencyQuery, DependencyReader } from "./dependency-reader.ts";
export { durationOfBucket, quantileNano } from "./duration-buckets.ts";
export { floatBucket, floatBucketStart, floatQuantile } from "./float-buckets.ts";
export { fastBucket, fastBucketNano, type GoodCount, type GoodCountsQuery } from "./good-counts.ts";
export { intrinsics } from "./intrinsics.ts";
export type {
  LatencyQuery,
  MetricPoint,
  MetricSeries,
  MetricsQuery,
  MetricsReader,
} from "./metrics-reader.ts";
export { nextTurn } from "./next-turn.ts";
export { type PartialAnswer, type PartialReason, PartialReasons } from "./partial-answer.ts";
export { explainedShare, fewestSpans } from "./population-comparison.ts";
export {
  type AdjustedFigures,
  type RankedRates,
  type RankedRatesQuery,
  type RatedName,
  type RateFigures,
  type RateOrder,
  rankOf,
  rateOrders,
  stepCount,
} from "./ranked-rates.ts";
export type {
  CalculatedProbabilities,
  OperationProbability,
  OperationThroughput,
  SamplingStore,
} from "./sampling-store.ts";
export { spanConditionOf } from "./span-condition.ts";
export type { SpanCount, SpanCountQuery } from "./span-counts.ts";
export type {
  Operation,
  PackedTrace,
  ReadOptions,
  SpanList,
  SpanReader,
  Trace,
  TraceQuery,
} from "./span-reader.ts";
export type { SpanRowSource, SpanWriter, WriteOptions } from "./span-writer.ts";
export { StorageError, type StorageErrorCode } from "./storage-error.ts";
export type { TraceStore } from "./trace-store.ts";
export type {
  TraceQlAttribute,
  TraceQlExemplar,
  TraceQlGroup,
  TraceQlMatch,
  TraceQlMetrics,
  TraceQlMetricsQuery,
  TraceQlReader,
  TraceQlSample,
  TraceQlSearch,
  TraceQlSearchQuery,
  TraceQlSeries,
  TraceQlServiceStats,
  TraceQlSpan,
  TraceQlSpanSet,
} from "./traceql-reader.ts";
export { type OptionalParts, unsupported } from "./unsupported.ts";

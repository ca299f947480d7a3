import type { MetricsPipeline, TraceQlQuery } from "traceql";
import type { TimeRange } from "./analysis-reader.ts";
import { checkCount, checkRange } from "./checked-analysis.ts";
import { StorageError } from "./storage-error.ts";
import type { TraceQlMetricsQuery, TraceQlSearchQuery } from "./traceql-reader.ts";

const maxTraces = 10_000;
const maxSpans = 10_000;
const maxSeries = 10_000;
/** Prometheus's limit for a range query. */
const maxSamples = 11_000n;
const minStepNano = 1_000_000n;
/** Spans of a trace may start up to an hour before or after the range. */
const marginNano = 3_600_000_000_000n;
const minTime = -(2n ** 63n);
const maxTime = 2n ** 63n - 1n;

/** @throws StorageError STORAGE_BAD_QUERY */
export function checkTraceQlSearch(request: TraceQlSearchQuery): {
  readonly query: Extract<TraceQlQuery, { type: "search" }>;
  readonly spansPerSpanset: number;
} {
  const { query, range, limit, spansPerSpanset } = request;
  if (query.type !== "search") {
    throw badQuery("the query is one for metrics");
  }
  checkRange(range);
  checkCount("limit", limit, maxTraces);
  if (spansPerSpanset !== 0) {
    checkCount("spansPerSpanset", spansPerSpanset, maxSpans);
  }
  return { query, spansPerSpanset: spansPerSpanset === 0 ? maxSpans : spansPerSpanset };
}

/** @throws StorageError STORAGE_BAD_QUERY */
export function checkTraceQlMetrics(
  request: TraceQlMetricsQuery,
): Extract<TraceQlQuery, { type: "metrics" }> {
  const { query, range, stepNano, maxSeries: series } = request;
  if (query.type !== "metrics") {
    throw badQuery("the query is one for traces: a metrics function is missing");
  }
  checkRange(range);
  checkCount("maxSeries", series, maxSeries);
  if (range.startUnixNano < 0n) {
    throw badQuery("the range begins before 1970");
  }
  if (stepNano < minStepNano) {
    throw badQuery(`a step of ${stepNano} ns is not at least 1 ms`);
  }
  const samples = (range.endUnixNano - range.startUnixNano) / stepNano + 2n;
  if (samples > maxSamples) {
    throw badQuery(`${samples} samples are over the limit of ${maxSamples}`);
  }
  return query;
}

/**
 * True for `with(adjusted=true)`: the metrics query counts original spans instead of stored spans.
 * @throws StorageError STORAGE_BAD_QUERY for another value, and for `compare()`, which counts stored spans only
 */
export function isAdjusted({ hints, expression }: Extract<TraceQlQuery, { type: "metrics" }>): boolean {
  const hint = hints.findLast(({ name }) => name === "adjusted")?.value;
  if (hint === undefined) {
    return false;
  }
  if (hint.type !== "bool") {
    throw badQuery("the hint adjusted is true or false");
  }
  if (hint.value && expression.type === "metrics-comparison") {
    throw badQuery("compare() counts stored spans only: leave out adjusted=true");
  }
  return hint.value;
}

/** Turns a request for groups into a request for metrics with one interval over the whole range. */
export function checkTraceQlGroups({ query, range }: Pick<TraceQlMetricsQuery, "query" | "range">): {
  readonly request: TraceQlMetricsQuery;
  readonly pipeline: MetricsPipeline;
} {
  const stepNano = range.endUnixNano > minStepNano ? range.endUnixNano : minStepNano;
  const request = { query, range, stepNano, maxSeries };
  const { expression } = checkTraceQlMetrics(request);
  if (expression.type !== "metrics-pipeline" || expression.aggregate.function !== "quantile_over_time") {
    throw badQuery("the query has no quantile_over_time to group by");
  }
  return { request, pipeline: expression };
}

/** Time range in which the other spans of a trace are searched: its root, and the parents of its spans. */
export function traceRange({ startUnixNano, endUnixNano }: TimeRange): TimeRange {
  const start = startUnixNano - marginNano;
  const end = endUnixNano + marginNano;
  return { startUnixNano: start < minTime ? minTime : start, endUnixNano: end > maxTime ? maxTime : end };
}

function badQuery(message: string): StorageError {
  return new StorageError("STORAGE_BAD_QUERY", message);
}

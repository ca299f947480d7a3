import type { MetricsComparison, MetricsPipeline } from "traceql";
import { AdjustedSum } from "../../../api/adjusted-counts.ts";
import type { TimeRange } from "../../../api/analysis-reader.ts";
import { tenantOf } from "../../../api/checked-query.ts";
import {
  checkTraceQlGroups,
  checkTraceQlMetrics,
  checkTraceQlSearch,
  isAdjusted,
  traceRange,
} from "../../../api/checked-traceql.ts";
import type { ReadOptions } from "../../../api/span-reader.ts";
import type {
  TraceQlGroup,
  TraceQlMetrics,
  TraceQlMetricsQuery,
  TraceQlReader,
  TraceQlSearch,
  TraceQlSearchQuery,
} from "../../../api/traceql-reader.ts";
import { groupsOfRows, MetricRows } from "../../../traceql/metric-rows.ts";
import { largestSeries, metricSeries } from "../../../traceql/metric-series.ts";
import { allSpans, pipelineEvaluator } from "../../../traceql/pipeline-evaluator.ts";
import { QueryFields } from "../../../traceql/query-fields.ts";
import { newestStart, TraceMatcher } from "../../../traceql/trace-match.ts";
import { TraceView } from "../../../traceql/trace-view.ts";
import type { StoredTenants } from "../stored-tenants.ts";
import { throwIfAborted } from "../throw-if-aborted.ts";
import { comparisonRows } from "./comparison-rows.ts";
import { factsOf, startsWithin } from "./facts-of.ts";

/** Evaluates TraceQL on every stored trace. */
export class MemoryTraceQlReader implements TraceQlReader {
  readonly #stored: StoredTenants;

  constructor(stored: StoredTenants) {
    this.#stored = stored;
  }

  async search(request: TraceQlSearchQuery, options: ReadOptions = {}): Promise<TraceQlSearch> {
    const { query, spansPerSpanset } = checkTraceQlSearch(request);
    const fields = new QueryFields(query);
    const matcher = new TraceMatcher(query, fields, spansPerSpanset);
    let inspectedSpans = 0;
    const found = this.#views(request.range, fields, options).flatMap((trace) => {
      inspectedSpans += trace.spans.length;
      const sets = matcher.setsOf(trace);
      return sets.length === 0 ? [] : [{ trace, sets, newest: newestStart(sets) }];
    });
    found.sort((one, other) =>
      one.newest !== other.newest
        ? one.newest > other.newest
          ? -1
          : 1
        : one.trace.traceId < other.trace.traceId
          ? -1
          : 1,
    );
    const traces = found.slice(0, request.limit).map(({ trace, sets }) => matcher.match(trace, sets));
    return { traces, inspectedSpans };
  }

  async metrics(request: TraceQlMetricsQuery, options: ReadOptions = {}): Promise<TraceQlMetrics> {
    const query = checkTraceQlMetrics(request);
    const fields = new QueryFields(query);
    const adjusted = isAdjusted(query) ? { sum: new AdjustedSum(), spans: 0 } : undefined;
    const views = this.#views(request.range, fields, options, adjusted !== undefined);
    const readRows = async (pipeline: MetricsPipeline) => {
      const gathered = rowsOf(pipeline, views, fields, request.stepNano);
      if (adjusted !== undefined) {
        adjusted.sum.addSum(gathered.adjusted);
        adjusted.spans += gathered.spans;
      }
      return gathered.rows;
    };
    const traces = [...this.#stored.tracesOf(tenantOf(options)).traces()];
    const readComparison = async (comparison: MetricsComparison) =>
      comparisonRows(traces, comparison, request);
    const series = await metricSeries(query.expression, request, readRows, readComparison);
    const inspectedSpans = views.reduce((sum, { spans }) => sum + spans.length, 0);
    return {
      ...largestSeries(series, request.maxSeries),
      inspectedSpans,
      ...(adjusted === undefined ? {} : { adjusted: { spans: adjusted.spans, ...adjusted.sum.counts } }),
    };
  }

  async groups(
    asked: Pick<TraceQlMetricsQuery, "query" | "range">,
    options: ReadOptions = {},
  ): Promise<TraceQlGroup[]> {
    const { request, pipeline } = checkTraceQlGroups(asked);
    const fields = new QueryFields(request.query);
    const views = this.#views(request.range, fields, options);
    return groupsOfRows(rowsOf(pipeline, views, fields, request.stepNano).rows);
  }

  /** Traces with a span in the range. */
  #views(range: TimeRange, fields: QueryFields, options: ReadOptions, adjusted = false): TraceView[] {
    throwIfAborted(options.signal);
    const around = traceRange(range);
    return [...this.#stored.tracesOf(tenantOf(options)).traces()].flatMap((spans) => {
      const facts = spans
        .filter((span) => startsWithin(span, around))
        .map((span) => factsOf(span, range, fields, adjusted));
      return facts.some(({ isInRange }) => isInRange) ? [new TraceView(spans[0]?.traceId ?? "", facts)] : [];
    });
  }
}

function rowsOf(
  { pipeline, aggregate }: MetricsPipeline,
  views: readonly TraceView[],
  fields: QueryFields,
  stepNano: bigint,
): MetricRows {
  const evaluate = pipelineEvaluator(pipeline, fields);
  const rows = new MetricRows(aggregate, fields, stepNano);
  for (const view of views) {
    for (const { spans } of evaluate(allSpans(view))) {
      for (const span of spans) {
        rows.add(span);
      }
    }
  }
  return rows;
}

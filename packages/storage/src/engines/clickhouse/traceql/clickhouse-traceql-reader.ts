import { ClickHouseError } from "@clickhouse/client";
import type { MetricsPipeline, Pipeline } from "traceql";
import { AdjustedSum } from "../../../api/adjusted-counts.ts";
import type { TimeRange } from "../../../api/analysis-reader.ts";
import { tenantOf } from "../../../api/checked-query.ts";
import {
  checkTraceQlGroups,
  checkTraceQlMetrics,
  checkTraceQlSearch,
  isAdjusted,
} from "../../../api/checked-traceql.ts";
import type { ReadOptions } from "../../../api/span-reader.ts";
import { StorageError } from "../../../api/storage-error.ts";
import type {
  TraceQlGroup,
  TraceQlMetrics,
  TraceQlMetricsQuery,
  TraceQlReader,
  TraceQlSearch,
  TraceQlSearchQuery,
} from "../../../api/traceql-reader.ts";
import { groupsOfRows, type MetricRow, MetricRows } from "../../../traceql/metric-rows.ts";
import { largestSeries, metricSeries } from "../../../traceql/metric-series.ts";
import { allSpans, pipelineEvaluator } from "../../../traceql/pipeline-evaluator.ts";
import { QueryFields } from "../../../traceql/query-fields.ts";
import { TraceMatcher } from "../../../traceql/trace-match.ts";
import type { TraceView } from "../../../traceql/trace-view.ts";
import { readCall } from "../calls/read-call.ts";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import type { CopyQuestion } from "../repeated/known-copies.ts";
import type { SchemaGuard } from "../schema/schema-guard.ts";
import type { SqlQuery } from "../search-sql.ts";
import { timeSlices } from "../time-slices.ts";
import { type Candidate, CandidateSearch, checkInspected } from "./candidate-search.ts";
import type { Condition } from "./condition-sql.ts";
import { mayHaveDescendant } from "./descendants.ts";
import { ancestorQuery, maxRareTraces, rareTracesSql, structureSql } from "./join-order.ts";
import { gatherMetricRows, type MetricSqlRow } from "./metric-sql-rows.ts";
import { readComparison } from "./read-comparison.ts";
import { countsSpans, pipelineSql } from "./spanset-sql.ts";
import { type TraceQlRow, traceViews } from "./trace-rows.ts";
import {
  candidateCountSql,
  candidatesSql,
  maxMetricRows,
  metricRowsSql,
  rowsOfPartSql,
  rowsOfTracesSql,
  type SpanSource,
  spansOf,
} from "./traceql-sql.ts";

/**
 * Number of candidates that the first statement of a slice returns, for queries where SQL alone cannot decide which
 * traces match. Later statements return more.
 */
const firstCandidates = 200;
const candidateGrowth = 8;
/** Traces whose spans one statement reads. More traces need several statements. */
const tracesPerRead = 500;
/** Number of spans in each part of a metrics query for which SQL alone does not suffice. */
const spansPerPart = 200_000;

/** Dependencies apart from the connection. */
interface TraceQlReaderParts {
  readonly database: string;
  /** Says whether spans of a time range may be stored more than once. */
  readonly repeated: Pick<CopyQuestion, "areIn">;
  /** Maximum number of traces with spans of the rare side; above this limit, the rare side is not read first. */
  readonly mostRareTraces?: number | undefined;
}

/** Rows of a metric, with counts of the spans. */
interface GatheredRows {
  /** Rows by group and interval. */
  readonly rows: readonly MetricRow[];
  /** Number of spans that were read. */
  readonly spans: number;
  /**
   * Number of counted spans, and the estimated number of original spans. The sum is empty unless the query is adjusted.
   */
  readonly counted: { readonly sum: AdjustedSum; readonly spans: number };
}

/** Source, fields and limits of the rows of a metric. */
interface MetricRowsRead {
  /** Tables, tenant and time range. */
  readonly source: SpanSource;
  readonly request: TraceQlMetricsQuery;
  /** Fields of the query as SQL. */
  readonly fields: QueryFields;
  readonly options: ReadOptions;
}

/**
 * TraceQL on ClickHouse. SQL finds the traces that may match, newest first, in slices of time. For most queries, all of
 * these traces match. The evaluator that all engines share then evaluates their spans. ClickHouse computes metrics that
 * depend on single spans, or on parents and children. For other metrics, ClickHouse returns the spans.
 */
export class ClickHouseTraceQlReader implements TraceQlReader {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #database: string;
  readonly #maxRareTraces: number;
  readonly #repeated: Pick<CopyQuestion, "areIn">;

  constructor(
    connection: ClickHouseConnection,
    schema: SchemaGuard,
    { database, repeated, mostRareTraces = maxRareTraces }: TraceQlReaderParts,
  ) {
    this.#maxRareTraces = mostRareTraces;
    this.#connection = connection;
    this.#repeated = repeated;
    this.#schema = schema;
    this.#database = database;
  }

  async search(request: TraceQlSearchQuery, options: ReadOptions = {}): Promise<TraceQlSearch> {
    const { query, spansPerSpanset } = checkTraceQlSearch(request);
    const areRepeated =
      countsSpans(query.pipeline) && (await this.#repeated.areIn(request.range, "traceql", options));
    const source = { ...this.#source(request.range, options), areRepeated };
    const fields = new QueryFields(query);
    const matcher = new TraceMatcher(query, fields, spansPerSpanset);
    const search = new CandidateSearch(matcher, request.limit, (some) =>
      this.#viewsOf(source, some, fields, options),
    );
    const related = await this.#relatedTraces(query.pipeline, source, options);
    if (related !== undefined) {
      await search.inspect(related, Math.min(Math.max(request.limit, 1), tracesPerRead));
      return search.result;
    }
    for (const slice of slicesOf(request.range)) {
      if (search.isCompleteBefore(slice.endUnixNano)) {
        break;
      }
      const condition = pipelineSql(query.pipeline, spansOf(source, slice));
      if (condition.sql === "0") {
        break;
      }
      let wanted = condition.isExact ? request.limit : Math.max(request.limit, firstCandidates);
      for (;;) {
        const sql = candidatesSql(source, condition, slice, wanted);
        const candidates = await this.#rows<Candidate>(sql, options);
        await search.inspect(candidates, tracesPerRead);
        if (candidates.length < wanted || search.isCompleteAt(candidates.at(-1))) {
          break;
        }
        wanted *= candidateGrowth;
      }
    }
    return search.result;
  }

  async metrics(request: TraceQlMetricsQuery, options: ReadOptions = {}): Promise<TraceQlMetrics> {
    const query = checkTraceQlMetrics(request);
    const areRepeated = await this.#repeated.areIn(request.range, "traceql", options);
    const adjusted = isAdjusted(query) ? { sum: new AdjustedSum(), spans: 0 } : undefined;
    const source = {
      ...this.#source(request.range, options),
      areRepeated,
      isAdjusted: adjusted !== undefined,
    };
    const fields = new QueryFields(query);
    let inspectedSpans = 0;
    const readRows = async (pipeline: MetricsPipeline) => {
      const { rows, spans, counted } = await this.#metricRows(pipeline, { source, request, fields, options });
      inspectedSpans += spans;
      if (adjusted !== undefined) {
        adjusted.spans += counted.spans;
        adjusted.sum.addSum(counted.sum);
      }
      return rows;
    };
    const series = await metricSeries(query.expression, request, readRows, (comparison) =>
      readComparison(comparison, source, request, (sql) => this.#rows(sql, options)),
    );
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
    const areRepeated = await this.#repeated.areIn(request.range, "traceql", options);
    const source = { ...this.#source(request.range, options), areRepeated };
    const { rows } = await this.#metricRows(pipeline, {
      source,
      request,
      fields: new QueryFields(request.query),
      options,
    });
    return groupsOfRows(rows);
  }

  async #metricRows(
    { pipeline, aggregate }: MetricsPipeline,
    { source, request, fields, options }: MetricRowsRead,
  ): Promise<GatheredRows> {
    const condition = pipelineSql(pipeline, spansOf(source));
    if (condition.sql === "0") {
      return { rows: [], spans: 0, counted: { sum: new AdjustedSum(), spans: 0 } };
    }
    const sql = condition.isExact
      ? metricRowsSql(source, condition, {
          aggregate,
          stepNano: request.stepNano,
          wantsExemplars: request.exemplars === true,
        })
      : undefined;
    if (sql !== undefined) {
      const rows = await this.#rows<MetricSqlRow>(sql, options);
      if (rows.length > maxMetricRows) {
        throw new StorageError(
          "STORAGE_BAD_QUERY",
          `the query makes more than ${maxMetricRows} values: group by less, or take a longer step`,
        );
      }
      const counted = { sum: new AdjustedSum(), spans: 0 };
      for (const { c, n = c, a } of rows) {
        counted.spans += n;
        if (a !== undefined) {
          counted.sum.addAll(a);
        }
      }
      return { rows: gatherMetricRows(rows, aggregate), spans: counted.spans, counted };
    }
    return await this.#metricRowsBySpan(
      condition,
      { pipeline, aggregate },
      { source, request, fields, options },
    );
  }

  /** Rows of queries for which SQL alone cannot decide which spans count. */
  async #metricRowsBySpan(
    condition: Condition,
    { pipeline, aggregate }: Pick<MetricsPipeline, "pipeline" | "aggregate">,
    { source, request, fields, options }: MetricRowsRead,
  ): Promise<GatheredRows> {
    const evaluate = pipelineEvaluator(pipeline, fields);
    const gathered = new MetricRows(aggregate, fields, request.stepNano);
    const [count] = await this.#rows<{ traces: number; spans: number }>(
      candidateCountSql(source, condition),
      options,
    );
    if (count === undefined || count.traces === 0) {
      return { rows: [], spans: 0, counted: { sum: new AdjustedSum(), spans: 0 } };
    }
    checkInspected(count.spans);
    const parts = Math.ceil(count.spans / spansPerPart);
    let spans = 0;
    for (let part = 0; part < parts; part++) {
      const sql = rowsOfPartSql(source, condition, fields.stored, { part, parts });
      for (const view of traceViews(await this.#rows<TraceQlRow>(sql, options), fields.stored)) {
        spans += view.spans.length;
        for (const set of evaluate(allSpans(view))) {
          for (const span of set.spans) {
            gathered.add(span);
          }
        }
      }
      checkInspected(spans);
    }
    return { rows: gathered.rows, spans, counted: { sum: gathered.adjusted, spans: gathered.spans } };
  }

  /**
   * All traces that may match, newest first, for a search for ancestors or descendants. This search is used when few
   * traces have spans of one side. The ids of these traces determine the candidates, at any time and for traces of any
   * size.
   * @returns undefined when neither side is rare
   */
  async #relatedTraces(
    pipeline: Pipeline,
    source: SpanSource,
    options: ReadOptions,
  ): Promise<readonly Candidate[] | undefined> {
    const query = this.#maxRareTraces === 0 ? undefined : ancestorQuery(pipeline, source);
    if (query === undefined) {
      return undefined;
    }
    for (const side of [query.ancestors, query.descendants]) {
      const traces = await this.#rowsUnlessTooMuch<{ traceId: string }>(rareTracesSql(source, side), options);
      if (traces === undefined || traces.length > this.#maxRareTraces) {
        continue;
      }
      if (traces.length === 0) {
        return [];
      }
      const ids = traces.map(({ traceId }) => traceId);
      const sql = structureSql(source, query, ids);
      const structures = await this.#rowsUnlessTooMuch<Candidate & { readonly spans: string }>(sql, options);
      return structures?.filter(({ spans }) => mayHaveDescendant(spans));
    }
    return undefined;
  }

  async #viewsOf(
    source: SpanSource,
    traces: readonly { readonly traceId: string }[],
    fields: QueryFields,
    options: ReadOptions,
  ): Promise<TraceView[]> {
    const ids = traces.map(({ traceId }) => traceId);
    const rows = await this.#rows<TraceQlRow>(rowsOfTracesSql(source, ids, fields.stored), options);
    return traceViews(rows, fields.stored);
  }

  #source(range: TimeRange, options: ReadOptions): SpanSource {
    return { database: this.#database, tenant: tenantOf(options), range };
  }

  /** @returns undefined when ClickHouse refuses the query because of its size */
  async #rowsUnlessTooMuch<Row>(query: SqlQuery, options: ReadOptions): Promise<Row[] | undefined> {
    try {
      return await this.#rows<Row>(query, options);
    } catch (error) {
      if (isTooMuch(error)) {
        return undefined;
      }
      throw error;
    }
  }

  #rows<Row>({ sql, parameters }: SqlQuery, options: ReadOptions): Promise<Row[]> {
    const read = readCall(options, "traceql");
    return this.#schema.run(() => this.#connection.rows<Row>(sql, parameters, read), options.signal);
  }
}

/** ClickHouse's TOO_MANY_ROWS, MEMORY_LIMIT_EXCEEDED and TOO_MANY_ROWS_OR_BYTES. */
function isTooMuch(error: unknown): boolean {
  const cause = error instanceof StorageError ? error.cause : undefined;
  return cause instanceof ClickHouseError && /^(158|241|396)$/.test(cause.code);
}

function* slicesOf({ startUnixNano, endUnixNano }: TimeRange): Generator<TimeRange> {
  const time = { startTimeMinUnixNano: startUnixNano, startTimeMaxUnixNano: endUnixNano };
  for (const slice of timeSlices(time, BigInt(Date.now()) * 1_000_000n)) {
    yield {
      startUnixNano: slice.startTimeMinUnixNano ?? startUnixNano,
      endUnixNano: slice.startTimeMaxUnixNano ?? endUnixNano,
    };
  }
}

import type {
  AnalysisReader,
  AttributeComparison,
  AttributeComparisonQuery,
  CriticalPathSums,
  DurationRank,
  DurationRankQuery,
  DurationRanks,
  DurationRanksQuery,
  HeatMap,
  HeatMapCell,
  HeatMapQuery,
  OperationSummary,
  PopulationComparison,
  PopulationComparisonQuery,
  Tail,
  TailQuery,
  TimeRange,
  TopOperationsQuery,
} from "../../api/analysis-reader.ts";
import {
  checkDurationRank,
  checkDurationRanks,
  checkedCriticalPath,
  checkHeatMap,
  checkTail,
  checkTopOperations,
  columnNano,
} from "../../api/checked-analysis.ts";
import { tenantOf } from "../../api/checked-query.ts";
import { criticalPathSums } from "../../api/critical-path.ts";
import { quantileNano } from "../../api/duration-buckets.ts";
import { type OperationDurations, ranksOf } from "../../api/duration-ranks.ts";
import { firstOperations } from "../../api/operation-order.ts";
import type { ReadOptions, SpanReader, TraceQuery } from "../../api/span-reader.ts";
import { durationRankSql, heatMapSql, tailCountSql, tailSpansSql, topOperationsSql } from "./analysis-sql.ts";
import { compareAttributes } from "./attribute-comparison.ts";
import { decodeSpans } from "./calls/answer-stream.ts";
import { readCall } from "./calls/read-call.ts";
import type { ClickHouseConnection } from "./clickhouse-connection.ts";
import { comparePopulations } from "./compare-populations.ts";
import { durationCountsSql, operationChunks } from "./duration-counts-sql.ts";
import type { CopyQuestion, CopyRow } from "./repeated/known-copies.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";
import type { SqlQuery } from "./search-sql.ts";

/** Dependencies of the reader, apart from its connection. */
interface AnalysisReaderParts {
  readonly settings: {
    readonly database: string;
    readonly maxReadBytes: number;
  };
  readonly reader: SpanReader;
  readonly repeated: CopyQuestion;
}

/** Analysis in SQL. Critical paths are computed in the process, from the traces that a search finds. */
export class ClickHouseAnalysisReader implements AnalysisReader {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #database: string;
  readonly #maxReadBytes: number;
  readonly #reader: SpanReader;
  readonly #repeated: CopyQuestion;

  constructor(
    connection: ClickHouseConnection,
    schema: SchemaGuard,
    { settings, reader, repeated }: AnalysisReaderParts,
  ) {
    this.#connection = connection;
    this.#schema = schema;
    this.#database = settings.database;
    this.#maxReadBytes = settings.maxReadBytes;
    this.#reader = reader;
    this.#repeated = repeated;
  }

  async getHeatMap(query: HeatMapQuery, options: ReadOptions = {}): Promise<HeatMap> {
    checkHeatMap(query);
    const { startUnixNano } = query.range;
    const width = columnNano(query);
    type Row = HeatMapCell & CopyRow;
    const source = { columnNano: width, database: this.#database, tenant: tenantOf(options) };
    const rows = await this.#repeated.readOnce(query.range, options, (areRepeated) =>
      this.#rows<Row>(heatMapSql(query, { ...source, areRepeated }), options),
    );
    return { startUnixNano, columnNano: width, cells: rows.map(({ areRepeated, ...cell }) => cell) };
  }

  async compareAttributes(
    query: AttributeComparisonQuery,
    options: ReadOptions = {},
  ): Promise<AttributeComparison> {
    const rowsOf = <Row>(sql: SqlQuery) => this.#rows<Row>(sql, options);
    const areRepeated = (range: Partial<TimeRange>) => this.#repeated.areIn(range, "analysis", options);
    return await compareAttributes(query, {
      rowsOf,
      database: this.#database,
      tenant: tenantOf(options),
      areRepeatedIn: areRepeated,
    });
  }

  async comparePopulations(
    query: PopulationComparisonQuery,
    options: ReadOptions = {},
  ): Promise<PopulationComparison> {
    const rowsOf = <Row>(sql: SqlQuery) => this.#rows<Row>(sql, options);
    const areRepeated = (range: TimeRange) => this.#repeated.areIn(range, "analysis", options);
    return await comparePopulations(query, {
      rowsOf,
      database: this.#database,
      tenant: tenantOf(options),
      areRepeatedIn: areRepeated,
    });
  }

  async getDurationRank(
    query: DurationRankQuery,
    options: ReadOptions = {},
  ): Promise<DurationRank | undefined> {
    checkDurationRank(query);
    const areRepeated = await this.#repeated.areIn(query.range, "analysis", options);
    const sql = durationRankSql(query, this.#database, tenantOf(options), areRepeated);
    type Row = { peers: number; notLonger: number; quantiles: readonly [number, number, number] };
    const [row] = await this.#rows<Row>(sql, options);
    if (row === undefined || row.peers === 0) {
      return undefined;
    }
    const [medianNano, p95Nano, p99Nano] = row.quantiles;
    return { peers: row.peers, percentile: row.notLonger / row.peers, medianNano, p95Nano, p99Nano };
  }

  async getDurationRanks(
    query: DurationRanksQuery,
    options: ReadOptions = {},
  ): Promise<(DurationRanks | undefined)[]> {
    checkDurationRanks(query);
    const tenant = tenantOf(options);
    const durations: OperationDurations[] = [];
    for (const chunk of operationChunks(query.operations)) {
      const sql = durationCountsSql(chunk, query.range, this.#database, tenant);
      type Row = Omit<OperationDurations, "counts"> & {
        readonly buckets: readonly (readonly [number, number])[];
      };
      for (const { buckets, ...row } of await this.#rows<Row>(sql, options)) {
        durations.push({ ...row, counts: new Map(buckets) });
      }
    }
    return ranksOf(query.operations, durations);
  }

  async getTopOperations(query: TopOperationsQuery, options: ReadOptions = {}): Promise<OperationSummary[]> {
    checkTopOperations(query);
    const sql = topOperationsSql(query, this.#database, tenantOf(options));
    type Row = Omit<OperationSummary, "medianNano" | "p95Nano" | "p99Nano"> & {
      readonly buckets: readonly (readonly [bucket: number, calls: number])[];
    };
    const rows = await this.#rows<Row>(sql, options);
    const summaries = rows.map(({ buckets, ...summary }) => {
      const counts = new Map(buckets);
      return {
        ...summary,
        medianNano: quantileNano(counts, 0.5),
        p95Nano: quantileNano(counts, 0.95),
        p99Nano: quantileNano(counts, 0.99),
      };
    });
    return firstOperations(summaries, query);
  }

  async getCriticalPath(query: TraceQuery, options: ReadOptions = {}): Promise<CriticalPathSums> {
    return criticalPathSums(await this.#reader.findTraces(checkedCriticalPath(query), options));
  }

  async tail(query: TailQuery, options: ReadOptions = {}): Promise<Tail> {
    checkTail(query, /^\d{1,10}$/);
    const tenant = tenantOf(options);
    const [counted] = await this.#rows<{ cursor: string; spans: number }>(
      tailCountSql(query, this.#database, tenant),
      options,
    );
    const { cursor = "0", spans: arrived = 0 } = counted ?? {};
    if (arrived === 0) {
      return { spans: [], skipped: 0, cursor };
    }
    const { sql, parameters } = tailSpansSql(query, cursor, this.#database, tenant);
    const { signal } = options;
    const rows = await this.#schema.run(
      () => this.#connection.bytes(sql, parameters, this.#maxReadBytes, readCall(options, "analysis")),
      signal,
    );
    const spans = decodeSpans(rows).reverse();
    return { spans, skipped: Math.max(0, arrived - spans.length), cursor };
  }

  #rows<Row>({ sql, parameters }: SqlQuery, options: ReadOptions): Promise<Row[]> {
    const read = readCall(options, "analysis");
    return this.#schema.run(() => this.#connection.rows<Row>(sql, parameters, read), options.signal);
  }
}

import type { SpanKind } from "wire/model";
import { checkSearch, checkTexts, tenantOf } from "../../api/checked-query.ts";
import type {
  Operation,
  PackedTrace,
  ReadOptions,
  SpanReader,
  Trace,
  TraceQuery,
} from "../../api/span-reader.ts";
import { type ReadKind, readCall } from "./calls/read-call.ts";
import type { ClickHouseConnection } from "./clickhouse-connection.ts";
import { ClickHouseTraceReader } from "./clickhouse-trace-reader.ts";
import type { QueryParameters } from "./parameter-text.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";
import { hasSpans, justArrivedOfTraces, outlineColumns, spansOfTraces } from "./schema/span-sql.ts";
import { type RowLimits, SearchMemory, TraceIdSearch } from "./trace-id-search.ts";

/**
 * Reads spans. A search finds ids in time slices, newest first, until it has enough ids, and then reads their spans.
 * Most searches read one minute of spans, even when the time range is long.
 */
export class ClickHouseSpanReader implements SpanReader {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #database: string;
  readonly #traces: ClickHouseTraceReader;
  readonly #outlines: ClickHouseTraceReader;
  readonly #searches: SearchMemory;

  constructor(
    connection: ClickHouseConnection,
    schema: SchemaGuard,
    settings: { readonly database: string; readonly maxReadBytes: number; readonly isCluster?: boolean },
    limits: RowLimits = {},
  ) {
    this.#searches = new SearchMemory(settings.database, limits);
    this.#connection = connection;
    this.#schema = schema;
    this.#database = settings.database;
    const sql = spansOfTraces(settings.database);
    const justArrived = justArrivedOfTraces(settings.database);
    this.#traces = new ClickHouseTraceReader(connection, schema, sql, { ...settings, justArrived });
    this.#outlines = new ClickHouseTraceReader(
      connection,
      schema,
      spansOfTraces(settings.database, outlineColumns),
      { ...settings, justArrived: justArrivedOfTraces(settings.database, outlineColumns) },
    );
  }

  getTraces(traceIds: readonly string[], options: ReadOptions = {}): Promise<Trace[]> {
    return this.#traces.getTraces(traceIds, options);
  }

  getPackedTraces(
    traceIds: readonly string[],
    options: ReadOptions = {},
    onCount?: (spans: number, bytes?: number) => void,
  ): Promise<PackedTrace[]> {
    return this.#traces.getPackedTraces(traceIds, options, onCount);
  }

  getOutlines(
    traceIds: readonly string[],
    options: ReadOptions = {},
    onCount?: (spans: number, bytes?: number) => void,
  ): Promise<PackedTrace[]> {
    return this.#outlines.getPackedTraces(traceIds, options, onCount);
  }

  async findTraces(query: TraceQuery, options: ReadOptions = {}): Promise<Trace[]> {
    return await this.getTraces(await this.findTraceIds(query, options), options);
  }

  async findTraceIds(query: TraceQuery, options: ReadOptions = {}): Promise<string[]> {
    const tenant = tenantOf(options);
    checkSearch(query);
    return await new TraceIdSearch(query, tenant, this.#searches, (sql, parameters) =>
      this.#rows(sql, parameters, options, "search"),
    ).run();
  }

  async getServices(options: ReadOptions = {}): Promise<string[]> {
    const tenant = tenantOf(options);
    const sql =
      `SELECT DISTINCT service FROM ${this.#database}.operations ` +
      `WHERE tenant = {tenant:String} AND ${hasSpans(this.#database)} ORDER BY service`;
    const rows = await this.#rows<{ service: string }>(sql, { tenant }, options, "names");
    return rows.map(({ service }) => service);
  }

  async getOperations(
    query: { service: string; spanKind?: SpanKind },
    options: ReadOptions = {},
  ): Promise<Operation[]> {
    const { service, spanKind } = query;
    const tenant = tenantOf(options);
    checkTexts([service]);
    const sql =
      `SELECT DISTINCT name, kind AS spanKind FROM ${this.#database}.operations ` +
      `WHERE service = {service:String} AND tenant = {tenant:String} AND ${hasSpans(this.#database)}` +
      `${spanKind === undefined ? "" : " AND kind = {kind:String}"} ORDER BY name, kind`;
    const parameters = { service, tenant, ...(spanKind === undefined ? {} : { kind: spanKind }) };
    return await this.#rows<Operation>(sql, parameters, options, "names");
  }

  #rows<Row>(sql: string, parameters: QueryParameters, options: ReadOptions, kind: ReadKind): Promise<Row[]> {
    const read = readCall(options, kind);
    return this.#schema.run(() => this.#connection.rows<Row>(sql, parameters, read), options.signal);
  }
}

import type { SpanKind } from "wire/model";
import { checkSearch, checkTexts, tenantOf } from "../../api/checked-query.ts";
import type { Operation, ReadOptions, SpanReader, Trace, TraceQuery } from "../../api/span-reader.ts";
import type { ClickHouseConnection, QueryParameters } from "./clickhouse-connection.ts";
import { ClickHouseTraceReader } from "./clickhouse-trace-reader.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";
import { spansOfTraces } from "./schema/span-sql.ts";
import { searchSql } from "./search-sql.ts";
import { timeSlices } from "./time-slices.ts";

/** With more, a query is long in the making: each place has all conditions of the other tags. */
const maxTagsApart = 4;

/**
 * Reads spans. A search asks for ids in slices of time, newest first, until there are enough, then for their spans: most
 * searches read a minute of spans, however long the time is that they ask for.
 */
export class ClickHouseSpanReader implements SpanReader {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #database: string;
  readonly #traces: ClickHouseTraceReader;

  constructor(
    connection: ClickHouseConnection,
    schema: SchemaGuard,
    settings: { readonly database: string; readonly maxReadBytes: number },
  ) {
    this.#connection = connection;
    this.#schema = schema;
    this.#database = settings.database;
    const sql = spansOfTraces(settings.database);
    this.#traces = new ClickHouseTraceReader(connection, schema, sql, settings.maxReadBytes);
  }

  getTraces(traceIds: readonly string[], options: ReadOptions = {}): Promise<Trace[]> {
    return this.#traces.getTraces(traceIds, options);
  }

  async findTraces(query: TraceQuery, options: ReadOptions = {}): Promise<Trace[]> {
    return await this.getTraces(await this.findTraceIds(query, options), options);
  }

  async findTraceIds(query: TraceQuery, options: ReadOptions = {}): Promise<string[]> {
    const tenant = tenantOf(options);
    checkSearch(query);
    const found = new Set<string>();
    let isFirst = true;
    for (const slice of timeSlices(query, BigInt(Date.now()) * 1_000_000n)) {
      const { sql, parameters } = searchSql({ ...query, ...slice }, this.#database, tenant, {
        apart: !isFirst && (query.tags?.size ?? 0) <= maxTagsApart,
      });
      isFirst = false;
      const rows = await this.#rows<{ traceId: string }>(sql, parameters, options.signal);
      // Those with spans in a newer slice too keep their place.
      for (const { traceId } of rows) found.add(traceId);
      if (found.size >= query.limit) break;
    }
    return [...found].slice(0, query.limit);
  }

  async getServices(options: ReadOptions = {}): Promise<string[]> {
    const tenant = tenantOf(options);
    const sql =
      `SELECT DISTINCT service FROM ${this.#database}.operations ` +
      "WHERE tenant = {tenant:String} ORDER BY service";
    const rows = await this.#rows<{ service: string }>(sql, { tenant }, options.signal);
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
      "WHERE service = {service:String} AND tenant = {tenant:String}" +
      `${spanKind === undefined ? "" : " AND kind = {kind:String}"} ORDER BY name, kind`;
    const parameters = { service, tenant, ...(spanKind === undefined ? {} : { kind: spanKind }) };
    return await this.#rows<Operation>(sql, parameters, options.signal);
  }

  #rows<Row>(sql: string, parameters: QueryParameters, signal: AbortSignal | undefined): Promise<Row[]> {
    return this.#schema.run(() => this.#connection.rows<Row>(sql, parameters, signal), signal);
  }
}

import type { Span, SpanKind } from "wire/model";
import { readSpanRows } from "wire/rows";
import { checkTexts, distinctTraceIds, tenantOf } from "../../api/checked-query.ts";
import type { Operation, ReadOptions, SpanReader, Trace, TraceQuery } from "../../api/span-reader.ts";
import { StorageError } from "../../api/storage-error.ts";
import { tracesInOrder } from "../../api/traces-in-order.ts";
import type { ClickHouseConnection, QueryParameters } from "./clickhouse-connection.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";
import { spansOfTraces } from "./schema/span-sql.ts";
import { searchSql } from "./search-sql.ts";

/** Ids of one query: they stand in the address of the request, and Node's servers take 16 KiB of headers. */
const idsPerQuery = 200;

/** Reads spans with one query for the ids and one (for each 200 traces) for their spans. */
export class ClickHouseSpanReader implements SpanReader {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #database: string;
  readonly #maxReadBytes: number;

  constructor(
    connection: ClickHouseConnection,
    schema: SchemaGuard,
    settings: { readonly database: string; readonly maxReadBytes: number },
  ) {
    this.#connection = connection;
    this.#schema = schema;
    this.#database = settings.database;
    this.#maxReadBytes = settings.maxReadBytes;
  }

  async getTraces(traceIds: readonly string[], options: ReadOptions = {}): Promise<Trace[]> {
    const ids = distinctTraceIds(traceIds);
    const spans: Span[] = [];
    let bytesLeft = this.#maxReadBytes;
    for (let first = 0; first < ids.length; first += idsPerQuery) {
      const rows = await this.#spanRows(ids.slice(first, first + idsPerQuery), bytesLeft, options);
      bytesLeft -= rows.length;
      for (const span of decode(rows)) spans.push(span);
    }
    return tracesInOrder(ids, spans);
  }

  async findTraces(query: TraceQuery, options: ReadOptions = {}): Promise<Trace[]> {
    return await this.getTraces(await this.findTraceIds(query, options), options);
  }

  async findTraceIds(query: TraceQuery, options: ReadOptions = {}): Promise<string[]> {
    const { sql, parameters } = searchSql(query, this.#database, tenantOf(options));
    const rows = await this.#rows<{ traceId: string }>(sql, parameters, options.signal);
    return rows.map(({ traceId }) => traceId);
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

  #spanRows(ids: readonly string[], maxBytes: number, options: ReadOptions): Promise<Buffer> {
    const sql = spansOfTraces(this.#database);
    const parameters = { ids, tenant: tenantOf(options) };
    const { signal } = options;
    return this.#schema.run(() => this.#connection.bytes(sql, parameters, maxBytes, signal), signal);
  }
}

/** Rows of our own codecs can be read; others have SQL at hand. */
function decode(rows: Uint8Array): Span[] {
  try {
    return readSpanRows(rows);
  } catch (error) {
    const message = `stored rows cannot be read: ${(error as Error).message}`;
    throw new StorageError("STORAGE_REFUSED", message, { cause: error });
  }
}

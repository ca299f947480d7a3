import { ClickHouseError } from "@clickhouse/client";
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
import { StorageError } from "../../api/storage-error.ts";
import { type ReadKind, readCall } from "./calls/read-call.ts";
import type { ClickHouseConnection } from "./clickhouse-connection.ts";
import { ClickHouseTraceReader } from "./clickhouse-trace-reader.ts";
import type { QueryParameters } from "./parameter-text.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";
import {
  hasSpans,
  justArrivedOfTraces,
  keepsUnpacked,
  outlineColumns,
  spansOfTraces,
} from "./schema/span-sql.ts";
import { SearchReach } from "./search-reach.ts";
import { searchSql } from "./search-sql.ts";
import { denseRows, splitSlice } from "./split-slice.ts";
import {
  joinedSlices,
  likelyPart,
  sliceGrowth,
  sliceNano,
  type TimeSlice,
  timeSlices,
} from "./time-slices.ts";

/** More tags make the SQL too long: every branch repeats all conditions of the other tags. */
const maxTagsApart = 4;

/** Granules of this many rows are cached unpacked: see `keepsUnpacked`. */
const sparseRows = 262_144;

/** Below this many rows a scan beats the index. */
const smallRows = 32_768;

/** How long the newest minute is assumed large, in milliseconds, once it was found large. */
const notSmallMs = 10_000;

/** Most splits of time slices in one search. Each split costs a statement that reads nothing. */
const maxSplits = 8;

/** Limits of rows for each way to search; above a limit the next way is taken. */
interface RowLimits {
  readonly maxDenseRows?: number | undefined;
  readonly maxSparseRows?: number | undefined;
  readonly maxSmallRows?: number | undefined;
}

/**
 * Reads spans. A search finds ids in time slices, newest first, until there are enough, and then reads their
 * spans. Most searches read a minute of spans, however long their time range is.
 */
export class ClickHouseSpanReader implements SpanReader {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #database: string;
  readonly #traces: ClickHouseTraceReader;
  readonly #outlines: ClickHouseTraceReader;
  readonly #maxDenseRows: number;
  readonly #maxSparseRows: number;
  readonly #maxSmallRows: number;
  /** The time at which the newest minute may be small again, by the monotonic clock. */
  #smallAgainMs = 0;
  readonly #reach = new SearchReach();

  constructor(
    connection: ClickHouseConnection,
    schema: SchemaGuard,
    settings: { readonly database: string; readonly maxReadBytes: number; readonly isCluster?: boolean },
    /** Rows that one statement may read when splitting it may help. */
    { maxDenseRows = denseRows, maxSparseRows = sparseRows, maxSmallRows = smallRows }: RowLimits = {},
  ) {
    this.#maxSmallRows = maxSmallRows;
    this.#maxDenseRows = maxDenseRows;
    this.#maxSparseRows = maxSparseRows;
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
    const found = new Set<string>();
    const nowUnixNano = BigInt(Date.now()) * 1_000_000n;
    const search = async (slice: TimeSlice, isNewest: boolean, maxRows = "", isSmall = false) => {
      const { sql, parameters } = searchSql({ ...query, ...slice }, this.#database, tenant, {
        apart: !isNewest && (query.tags?.size ?? 0) <= maxTagsApart,
        isSmall,
      });
      const rows = await this.#rows<{ traceId: string }>(
        `${sql} SETTINGS ${keepsUnpacked}${maxRows}`,
        parameters,
        options,
        "search",
      );
      // Traces with spans in a newer slice too keep their place.
      for (const { traceId } of rows) {
        found.add(traceId);
      }
      return found.size >= query.limit;
    };
    let splitsLeft = maxSplits;
    /**
     * Searches a slice in one statement, unless that would read too many rows. Then the newest part is
     * searched first, which is mostly enough.
     */
    const searchDense = async (slice: TimeSlice, isNewest: boolean, share?: bigint): Promise<boolean> => {
      const parts = splitsLeft > 0 ? splitSlice(slice, nowUnixNano, share) : undefined;
      if (parts === undefined) {
        return await search(slice, isNewest);
      }
      try {
        return await search(slice, isNewest, `, max_rows_to_read = ${this.#maxDenseRows}`);
      } catch (error) {
        if (!isTooManyRows(error)) {
          throw error;
        }
      }
      splitsLeft--;
      const [newer, older] = parts;
      const before = found.size;
      if (await searchDense(newer, isNewest)) {
        return true;
      }
      // Nothing was found: the newest spans are in the older part, which is halved to find them.
      return await (found.size === before ? searchDense(older, isNewest, 2n) : search(older, isNewest));
    };
    /** The newest slice: with tags, as a small one at first. */
    const searchNewest = async (slice: TimeSlice): Promise<boolean> => {
      // Without a service, a minute is rarely small.
      const mayBeSmall = query.service && query.tags?.size && performance.now() >= this.#smallAgainMs;
      if (!mayBeSmall) {
        return await searchDense(slice, true);
      }
      try {
        const settings = `, use_skip_indexes = 0, max_rows_to_read = ${this.#maxSmallRows}`;
        return await search(slice, true, settings, true);
      } catch (error) {
        if (!isTooManyRows(error)) {
          throw error;
        }
        this.#smallAgainMs = performance.now() + notSmallMs;
        return await searchDense(slice, true);
      }
    };
    /**
     * Searches two or more slices at once, when that is not much to read. @returns undefined when it is too
     * much, and nothing was read
     */
    const searchSparse = async (slice: TimeSlice): Promise<boolean | undefined> => {
      try {
        return await search(slice, false, `, max_rows_to_read = ${this.#maxSparseRows}`);
      } catch (error) {
        if (!isTooManyRows(error)) {
          throw error;
        }
        return undefined;
      }
    };
    let slices = [...timeSlices(query, nowUnixNano)];
    let searchedNano = 0n;
    let newest: TimeSlice | undefined = slices[0];
    const reach = this.#reach.of(query, tenant, performance.now());
    if (reach !== undefined) {
      const [first = query, ...older] = timeSlices(query, nowUnixNano, reach);
      const isEnough = await searchSparse(first);
      if (isEnough === true) {
        // More of these than thought: the next begin as any other.
        this.#reach.note(query, tenant, undefined);
        return [...found].slice(0, query.limit);
      }
      if (isEnough === false) {
        [slices, newest] = [older, undefined];
        searchedNano = sliceNano(first, nowUnixNano) ?? reach;
      } else {
        this.#reach.refused(query, tenant, performance.now());
      }
    }
    let isRare = newest === undefined;
    let mayJoin = true;
    let mayNarrow = true;
    for (let at = 0; at < slices.length; at++) {
      const likely = mayNarrow
        ? likelyPart(slices[at] as TimeSlice, searchedNano, found.size, query.limit)
        : undefined;
      if (likely !== undefined) {
        // A few more minutes should be enough. If not, the stream is uneven, and no further estimate is made.
        mayNarrow = false;
        slices.splice(at, 1, ...likely);
      }
      const slice = slices[at] as TimeSlice;
      const next = slices[at + 1];
      searchedNano += sliceNano(slice, nowUnixNano) ?? 0n;
      if (slice !== newest && found.size * sliceGrowth < query.limit) {
        isRare = true;
        // A rare match is seldom in the next slice alone. Reading the slice after it too saves a statement.
        const isEnough =
          mayJoin && next !== undefined ? await searchSparse(joinedSlices(slice, next)) : undefined;
        if (isEnough !== undefined && next !== undefined) {
          searchedNano += sliceNano(next, nowUnixNano) ?? 0n;
          if (isEnough) {
            break;
          }
          at++;
          continue;
        }
        mayJoin = false;
      }
      if (await (slice === newest ? searchNewest(slice) : searchDense(slice, false))) {
        break;
      }
    }
    this.#reach.note(query, tenant, isRare ? searchedNano : undefined);
    return [...found].slice(0, query.limit);
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

/** ClickHouse reports TOO_MANY_ROWS before it reads any. */
function isTooManyRows(error: unknown): boolean {
  return (
    error instanceof StorageError && error.cause instanceof ClickHouseError && error.cause.code === "158"
  );
}

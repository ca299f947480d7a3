import { ClickHouseError } from "@clickhouse/client";
import type { TraceQuery } from "../../api/span-reader.ts";
import { StorageError } from "../../api/storage-error.ts";
import type { QueryParameters } from "./parameter-text.ts";
import { keepsUnpacked } from "./schema/span-sql.ts";
import { DensePresent, SearchLookbackMemory } from "./search-lookback-memory.ts";
import { searchSql } from "./search-sql.ts";
import {
  denseRows,
  joinedSlices,
  likelyPart,
  presentParts,
  presentRows,
  sliceGrowth,
  sliceNano,
  splitSlice,
  type TimeSlice,
  timeSlices,
} from "./time-slices.ts";

/**
 * Maximum number of tags that are searched separately. More tags make the SQL too long: every branch repeats the
 * conditions of all other tags.
 */
const maxTagsApart = 4;

/**
 * Rows that one statement over several slices may read. ClickHouse caches granules up to this many rows uncompressed:
 * see `keepsUnpacked`.
 */
const sparseRows = 262_144;

/** Below this many rows a scan beats the index. */
const smallRows = 32_768;

/** Time in milliseconds for which the newest minute is assumed to be large, after a search found it large. */
const notSmallMs = 10_000;

/** Time slices that one search may split. Each split costs a statement that is refused before it reads. */
const maxSplits = 8;

/** Row limits of the ways to search. Above its limit, the search uses the next way. */
export interface RowLimits {
  readonly maxDenseRows?: number | undefined;
  readonly maxPresentRows?: number | undefined;
  readonly maxSparseRows?: number | undefined;
  readonly maxSmallRows?: number | undefined;
}

/** Runs the statement for one slice. @returns the ids found, newest first */
export type ReadIds = (sql: string, parameters: QueryParameters) => Promise<{ readonly traceId: string }[]>;

/** Limits and statistics that all searches of one reader share. */
export class SearchMemory {
  readonly reach = new SearchLookbackMemory();
  readonly dense = new DensePresent();
  /** Time of the monotonic clock in milliseconds, from which the newest minute may be small again. */
  smallAgainMs = 0;
  readonly database: string;
  readonly maxDenseRows: number;
  readonly maxPresentRows: number;
  readonly maxSparseRows: number;
  readonly maxSmallRows: number;

  /** @param limits row limits of a statement, above which a split may help */
  constructor(
    database: string,
    {
      maxDenseRows = denseRows,
      maxPresentRows = presentRows,
      maxSparseRows = sparseRows,
      maxSmallRows = smallRows,
    }: RowLimits,
  ) {
    this.database = database;
    this.maxPresentRows = maxPresentRows;
    this.maxDenseRows = maxDenseRows;
    this.maxSparseRows = maxSparseRows;
    this.maxSmallRows = maxSmallRows;
  }
}

/** One search for the ids of traces, in time slices, newest first, until there are enough. */
export class TraceIdSearch {
  readonly #query: TraceQuery;
  readonly #tenant: string;
  readonly #memory: SearchMemory;
  readonly #read: ReadIds;
  readonly #nowUnixNano = BigInt(Date.now()) * 1_000_000n;
  readonly #found = new Set<string>();
  #splitsLeft = maxSplits;
  /** Nanoseconds of the time range that is searched so far. */
  #searchedNano = 0n;

  constructor(query: TraceQuery, tenant: string, memory: SearchMemory, read: ReadIds) {
    this.#query = query;
    this.#tenant = tenant;
    this.#memory = memory;
    this.#read = read;
  }

  /** @returns ids, newest first, at most as many as the query's limit */
  async run(): Promise<string[]> {
    const { reach } = this.#memory;
    const remembered = reach.of(this.#query, this.#tenant, performance.now());
    const isRare = await (remembered === undefined ? this.#searchAll() : this.#searchFrom(remembered));
    reach.note(this.#query, this.#tenant, isRare ? this.#searchedNano : undefined);
    return [...this.#found].slice(0, this.#query.limit);
  }

  /**
   * Starts with the whole time range that an earlier search of this kind needed.
   * @returns true when matches are rare
   */
  async #searchFrom(reachNano: bigint): Promise<boolean> {
    const [first = this.#query, ...older] = timeSlices(this.#query, this.#nowUnixNano, reachNano);
    const isEnough = await this.#searchSparse(first);
    if (isEnough === true) {
      // There were more matches than expected, so the next searches of this kind start with the newest minute.
      return false;
    }
    if (isEnough === undefined) {
      this.#memory.reach.refused(this.#query, this.#tenant, performance.now());
      return await this.#searchAll();
    }
    this.#searchedNano = sliceNano(first, this.#nowUnixNano) ?? reachNano;
    return await this.#searchSlices(older, undefined);
  }

  async #searchAll(): Promise<boolean> {
    const slices = [...timeSlices(this.#query, this.#nowUnixNano)];
    return await this.#searchSlices(slices, slices[0]);
  }

  /**
   * Searches slices until there are enough traces.
   * @param newest the slice that ends now; undefined when it was already searched
   * @returns true when matches are rare
   */
  async #searchSlices(slices: TimeSlice[], newest: TimeSlice | undefined): Promise<boolean> {
    let isRare = newest === undefined;
    let mayJoin = true;
    let mayNarrow = true;
    for (let at = 0; at < slices.length; at++) {
      const likely = mayNarrow ? this.#likelyPart(slices[at] as TimeSlice) : undefined;
      if (likely !== undefined) {
        // The searched part should have been enough. The stream of spans is uneven, so no further estimate is made.
        mayNarrow = false;
        slices.splice(at, 1, ...likely);
      }
      const slice = slices[at] as TimeSlice;
      const next = slices[at + 1];
      this.#countTime(slice);
      if (slice !== newest && this.#found.size * sliceGrowth < this.#query.limit) {
        isRare = true;
        // When matches are rare, one slice is seldom enough. Searching the next slice in the same statement saves one
        // statement.
        const isEnough =
          mayJoin && next !== undefined ? await this.#searchSparse(joinedSlices(slice, next)) : undefined;
        if (isEnough !== undefined && next !== undefined) {
          this.#countTime(next);
          if (isEnough) {
            break;
          }
          at++;
          continue;
        }
        mayJoin = false;
      }
      if (await (slice === newest ? this.#searchNewest(slice) : this.#searchDense(slice, false))) {
        break;
      }
    }
    return isRare;
  }

  #likelyPart(slice: TimeSlice): readonly TimeSlice[] | undefined {
    return likelyPart(slice, this.#searchedNano, this.#found.size, this.#query.limit);
  }

  #countTime(slice: TimeSlice): void {
    this.#searchedNano += sliceNano(slice, this.#nowUnixNano) ?? 0n;
  }

  /** Searches the newest slice. If the query has tags, the slice is first assumed to be small. */
  async #searchNewest(slice: TimeSlice): Promise<boolean> {
    const { service, tags } = this.#query;
    // Without a service, a minute is rarely small.
    const mayBeSmall = service && tags?.size && performance.now() >= this.#memory.smallAgainMs;
    if (mayBeSmall) {
      const settings = `, use_skip_indexes = 0, max_rows_to_read = ${this.#memory.maxSmallRows}`;
      const isEnough = await unlessTooMany(() => this.#search(slice, true, settings, true));
      if (isEnough !== undefined) {
        return isEnough;
      }
      this.#memory.smallAgainMs = performance.now() + notSmallMs;
    }
    return await this.#searchPresent(slice);
  }

  /**
   * Searches the present minute. If this minute is known or found to have many spans, it is searched in parts, newest
   * first.
   */
  async #searchPresent(slice: TimeSlice): Promise<boolean> {
    const parts = presentParts(slice, this.#nowUnixNano);
    if (parts === undefined) {
      return await this.#searchDense(slice, true);
    }
    const { dense, maxPresentRows } = this.#memory;
    if (!dense.knows(this.#query, this.#tenant, performance.now())) {
      const settings = `, max_rows_to_read = ${maxPresentRows}`;
      const isEnough = await unlessTooMany(() => this.#search(slice, true, settings));
      if (isEnough !== undefined) {
        return isEnough;
      }
      dense.note(this.#query, this.#tenant, performance.now());
    }
    for (const part of parts) {
      if (await this.#searchDense(part, true)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Searches a slice in one statement. If one statement would read too many rows, the newest part is searched first,
   * which is mostly enough.
   */
  async #searchDense(slice: TimeSlice, isNewest: boolean, share?: bigint): Promise<boolean> {
    const parts = this.#splitsLeft > 0 ? splitSlice(slice, this.#nowUnixNano, share) : undefined;
    if (parts === undefined) {
      return await this.#search(slice, isNewest);
    }
    const settings = `, max_rows_to_read = ${this.#memory.maxDenseRows}`;
    const isEnough = await unlessTooMany(() => this.#search(slice, isNewest, settings));
    if (isEnough !== undefined) {
      return isEnough;
    }
    this.#splitsLeft--;
    const [newer, older] = parts;
    const before = this.#found.size;
    if (await this.#searchDense(newer, isNewest)) {
      return true;
    }
    // The newest part contained no match, so the older part is halved next.
    return await (this.#found.size === before
      ? this.#searchDense(older, isNewest, 2n)
      : this.#search(older, isNewest));
  }

  /**
   * Searches two or more slices in one statement, if this reads few rows.
   * @returns undefined when the statement would read too many rows; then no rows were read
   */
  #searchSparse(slice: TimeSlice): Promise<boolean | undefined> {
    const settings = `, max_rows_to_read = ${this.#memory.maxSparseRows}`;
    return unlessTooMany(() => this.#search(slice, false, settings));
  }

  /** Runs one statement. @returns true when enough traces were found */
  async #search(slice: TimeSlice, isNewest: boolean, settings = "", isSmall = false): Promise<boolean> {
    const { database } = this.#memory;
    const { sql, parameters } = searchSql({ ...this.#query, ...slice }, database, this.#tenant, {
      apart: !isNewest && (this.#query.tags?.size ?? 0) <= maxTagsApart,
      isSmall,
    });
    // A trace that was found in a newer slice keeps its position.
    for (const { traceId } of await this.#read(`${sql} SETTINGS ${keepsUnpacked}${settings}`, parameters)) {
      this.#found.add(traceId);
    }
    return this.#found.size >= this.#query.limit;
  }
}

/** @returns undefined when the statement would exceed its row limit; ClickHouse refuses it before it reads rows */
async function unlessTooMany(search: () => Promise<boolean>): Promise<boolean | undefined> {
  try {
    return await search();
  } catch (error) {
    const cause = error instanceof StorageError ? error.cause : undefined;
    if (cause instanceof ClickHouseError && cause.code === "158") {
      return undefined;
    }
    throw error;
  }
}

import { ClickHouseError } from "@clickhouse/client";
import type { TraceQuery } from "../../api/span-reader.ts";
import { StorageError } from "../../api/storage-error.ts";
import { DensePresent } from "./dense-present.ts";
import type { QueryParameters } from "./parameter-text.ts";
import { keepsUnpacked } from "./schema/span-sql.ts";
import { SearchReach } from "./search-reach.ts";
import { searchSql } from "./search-sql.ts";
import { denseRows, presentParts, presentRows, splitSlice } from "./split-slice.ts";
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
export interface RowLimits {
  readonly maxDenseRows?: number | undefined;
  readonly maxPresentRows?: number | undefined;
  readonly maxSparseRows?: number | undefined;
  readonly maxSmallRows?: number | undefined;
}

/** Runs the statement of a slice. @returns the ids that it finds, newest first */
export type ReadIds = (sql: string, parameters: QueryParameters) => Promise<{ readonly traceId: string }[]>;

/** Limits and experience that the searches of one reader share. */
export class SearchMemory {
  readonly reach = new SearchReach();
  readonly dense = new DensePresent();
  /** The time at which the newest minute may be small again, by the monotonic clock. */
  smallAgainMs = 0;
  readonly database: string;
  readonly maxDenseRows: number;
  readonly maxPresentRows: number;
  readonly maxSparseRows: number;
  readonly maxSmallRows: number;

  /** @param limits rows that one statement may read when splitting it may help */
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
  /** How much time was searched so far, in nanoseconds. */
  #searchedNano = 0n;

  constructor(query: TraceQuery, tenant: string, memory: SearchMemory, read: ReadIds) {
    this.#query = query;
    this.#tenant = tenant;
    this.#memory = memory;
    this.#read = read;
  }

  /** @returns at most as many ids as the query wants, newest first */
  async run(): Promise<string[]> {
    const { reach } = this.#memory;
    const remembered = reach.of(this.#query, this.#tenant, performance.now());
    const isRare = await (remembered === undefined ? this.#searchAll() : this.#searchFrom(remembered));
    reach.note(this.#query, this.#tenant, isRare ? this.#searchedNano : undefined);
    return [...this.#found].slice(0, this.#query.limit);
  }

  /**
   * Begins with the whole time that such a search needed before.
   * @returns whether matches are rare
   */
  async #searchFrom(reachNano: bigint): Promise<boolean> {
    const [first = this.#query, ...older] = timeSlices(this.#query, this.#nowUnixNano, reachNano);
    const isEnough = await this.#searchSparse(first);
    if (isEnough === true) {
      // There are more matches than thought, so the next such searches begin as any other.
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
   * @param newest the slice of them that ends now; undefined when that was searched
   * @returns whether matches are rare
   */
  async #searchSlices(slices: TimeSlice[], newest: TimeSlice | undefined): Promise<boolean> {
    let isRare = newest === undefined;
    let mayJoin = true;
    let mayNarrow = true;
    for (let at = 0; at < slices.length; at++) {
      const likely = mayNarrow ? this.#likelyPart(slices[at] as TimeSlice) : undefined;
      if (likely !== undefined) {
        // A few more minutes should be enough. Otherwise the stream is uneven, and no further estimate is made.
        mayNarrow = false;
        slices.splice(at, 1, ...likely);
      }
      const slice = slices[at] as TimeSlice;
      const next = slices[at + 1];
      this.#countTime(slice);
      if (slice !== newest && this.#found.size * sliceGrowth < this.#query.limit) {
        isRare = true;
        // A rare match is seldom in the next slice alone. Reading the slice after it too saves a statement.
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

  /** The newest slice: with tags, as a small one at first. */
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

  /** Searches the present minute: in parts, newest first, where it is known or found to have many spans. */
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
   * Searches a slice in one statement, unless that would read too many rows. Then the newest part is
   * searched first, which is mostly enough.
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
    // Nothing was found: the newest spans are in the older part, which is halved to find them.
    return await (this.#found.size === before
      ? this.#searchDense(older, isNewest, 2n)
      : this.#search(older, isNewest));
  }

  /**
   * Searches two or more slices at once, when that is not much to read.
   * @returns undefined when it is too much, and nothing was read
   */
  #searchSparse(slice: TimeSlice): Promise<boolean | undefined> {
    const settings = `, max_rows_to_read = ${this.#memory.maxSparseRows}`;
    return unlessTooMany(() => this.#search(slice, false, settings));
  }

  /** One statement. @returns whether there are enough traces now */
  async #search(slice: TimeSlice, isNewest: boolean, settings = "", isSmall = false): Promise<boolean> {
    const { database } = this.#memory;
    const { sql, parameters } = searchSql({ ...this.#query, ...slice }, database, this.#tenant, {
      apart: !isNewest && (this.#query.tags?.size ?? 0) <= maxTagsApart,
      isSmall,
    });
    // Traces with spans in a newer slice too keep their place.
    for (const { traceId } of await this.#read(`${sql} SETTINGS ${keepsUnpacked}${settings}`, parameters)) {
      this.#found.add(traceId);
    }
    return this.#found.size >= this.#query.limit;
  }
}

/** @returns undefined when the statement would read more rows than it may; ClickHouse says so before it reads any */
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

import type {
  AttributeComparisonQuery,
  DurationRankQuery,
  DurationRanksQuery,
  HeatMapQuery,
  SpanSelection,
  TailQuery,
  TimeRange,
  TopOperationsQuery,
} from "./analysis-reader.ts";
import { checkSearch } from "./checked-query.ts";
import { spanConditionOf } from "./span-condition.ts";
import type { TraceQuery } from "./span-reader.ts";
import { StorageError } from "./storage-error.ts";

const maxColumns = 1_000;
const maxCriticalTraces = 200;
const maxTailSpans = 10_000;
const maxComparedSpans = 1_000_000;
const maxEntries = 10_000;

/** Default of `maxSpans` in an attribute comparison. */
const defaultComparedSpans = 50_000;

/** @throws StorageError STORAGE_BAD_QUERY */
export function checkHeatMap(query: HeatMapQuery): void {
  checkCount("columns", query.columns, maxColumns);
  checkRange(query.range);
  checkSearch({ ...query, limit: 1 });
}

/** Width of a column in nanoseconds, rounded up so that the columns cover the range. */
export function columnNano({ range, columns }: HeatMapQuery): bigint {
  return (range.endUnixNano - range.startUnixNano) / BigInt(columns) + 1n;
}

/**
 * @returns maximum number of spans to read
 * @throws StorageError STORAGE_BAD_QUERY
 */
export function checkComparison(query: AttributeComparisonQuery): number {
  checkCount("limit", query.limit, maxEntries);
  checkSelection(query.selection);
  checkSelection(query.background);
  const { maxSpans = defaultComparedSpans } = query;
  checkCount("maxSpans", maxSpans, maxComparedSpans);
  return maxSpans;
}

function checkSelection(selection: SpanSelection): void {
  checkSearch({ ...selection, limit: 1 });
  if (selection.query !== undefined) {
    rangeOfQuery(selection);
  }
}

/** Time range of a selection with a query, which requires both times. @throws StorageError STORAGE_BAD_QUERY */
export function rangeOfQuery(selection: SpanSelection): TimeRange {
  const { query, startTimeMinUnixNano: startUnixNano, startTimeMaxUnixNano: endUnixNano } = selection;
  if (query?.type !== "search") {
    throw new StorageError("STORAGE_BAD_QUERY", "the query is one for metrics");
  }
  if (startUnixNano === undefined || endUnixNano === undefined) {
    throw new StorageError("STORAGE_BAD_QUERY", "the query has no times");
  }
  checkRange({ startUnixNano, endUnixNano });
  return { startUnixNano, endUnixNano };
}

/** @throws StorageError STORAGE_BAD_QUERY */
export function checkDurationRank({ service, operation, range }: DurationRankQuery): void {
  checkSearch({ service, operation, limit: 1 });
  checkRange(range);
}

/** @throws StorageError STORAGE_BAD_QUERY */
export function checkDurationRanks({ operations, range }: DurationRanksQuery): void {
  if (operations.length > maxEntries) {
    const message = `${operations.length} operations are over the limit of ${maxEntries}`;
    throw new StorageError("STORAGE_BAD_QUERY", message);
  }
  checkRange(range);
}

/** @throws StorageError STORAGE_BAD_QUERY */
export function checkTopOperations({ service = "", range, limit }: TopOperationsQuery): void {
  checkCount("limit", limit, maxEntries);
  checkSearch({ service, limit: 1 });
  checkRange(range);
}

/**
 * The search with its limit lowered to the number of traces that can be read. @throws StorageError STORAGE_BAD_QUERY
 */
export function checkedCriticalPath(query: TraceQuery): TraceQuery {
  checkSearch(query);
  return { ...query, limit: Math.min(query.limit, maxCriticalTraces) };
}

/**
 * @param cursorPattern pattern that a cursor of this engine matches
 * @throws StorageError STORAGE_BAD_QUERY
 */
export function checkTail(query: TailQuery, cursorPattern: RegExp): void {
  checkCount("limit", query.limit, maxTailSpans);
  checkSearch(query);
  if (query.query !== undefined && spanConditionOf(query.query) === undefined) {
    throw new StorageError(
      "STORAGE_BAD_QUERY",
      "the query looks at more than one span at a time: spans that arrive are looked at one by one",
    );
  }
  for (const cursor of [query.cursor, query.upTo]) {
    if (cursor !== undefined && !cursorPattern.test(cursor)) {
      throw new StorageError("STORAGE_BAD_QUERY", `cursor "${cursor}" was not given by this store`);
    }
  }
}

/** @throws StorageError STORAGE_BAD_QUERY for a value that is not a whole number from 1 to `max` */
export function checkCount(name: string, value: number, max: number): void {
  if (!Number.isSafeInteger(value) || value < 1 || value > max) {
    throw new StorageError("STORAGE_BAD_QUERY", `${name} ${value} is not a whole number from 1 to ${max}`);
  }
}

/**
 * Checks that the times fit 64-bit nanoseconds, the years 1677 to 2262.
 * @throws StorageError STORAGE_BAD_QUERY
 */
export function checkRange({ startUnixNano, endUnixNano }: TimeRange): void {
  const isTime = (nano: bigint) => nano >= -(2n ** 63n) && nano < 2n ** 63n;
  if (!isTime(startUnixNano) || !isTime(endUnixNano)) {
    throw new StorageError("STORAGE_BAD_QUERY", "the range does not lie within the years 1677 to 2262");
  }
  if (endUnixNano < startUnixNano) {
    throw new StorageError("STORAGE_BAD_QUERY", `the range ends at ${endUnixNano}, before its start`);
  }
}

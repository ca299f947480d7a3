import type { SpanKind } from "wire/model";
import { checkTexts } from "./checked-query.ts";
import { bucketsPerDoubling, nanoOfPosition } from "./duration-buckets.ts";
import { StorageError } from "./storage-error.ts";

const minuteMs = 60_000;
/** Maximum number of steps in one answer: enough for 31 days in hours, or half a day in minutes. */
const mostSteps = 750;
/** Maximum number of operation names, because the request's address contains all of them. */
const mostOperations = 100;

/** Selects the spans of a service that are counted, and defines the good spans among them. */
export interface GoodCountsQuery {
  readonly service: string;
  /** Names of operations. Empty: all operations. */
  readonly operations: readonly string[];
  /** Kinds of spans to count; at least one. */
  readonly spanKinds: readonly SpanKind[];
  /** Start of the time range in milliseconds since the Unix epoch, a whole minute; inclusive. */
  readonly startUnixMs: number;
  /** End of the time range, exclusive. */
  readonly endUnixMs: number;
  /** Milliseconds of one step: whole minutes. The last step may be shorter. */
  readonly stepMs: number;
  /** Spans in duration buckets below this index are good, see `fastBucket`. Absent: any duration is good. */
  readonly endBucket?: number | undefined;
}

/** Counts of one step. A sampled span counts as the number of original spans that it represents. */
export interface GoodCount {
  /** Index of the step, from 0. Steps without spans are left out. */
  readonly step: number;
  /** Number of all selected spans. */
  readonly total: number;
  /** Number of selected spans without an error whose duration is in a bucket below `endBucket`. */
  readonly good: number;
}

/**
 * The bucket whose lower bound is nearest to a duration. Spans in lower buckets count as fast enough.
 * @param latencyNano nanoseconds, at least 1
 */
export function fastBucket(latencyNano: number): number {
  return Math.round(Math.log2(Math.max(1, latencyNano)) * bucketsPerDoubling);
}

/**
 * The duration limit in nanoseconds that a result of {@link fastBucket} means. It differs from the wanted duration by
 * at most 4.5 %.
 */
export function fastBucketNano(endBucket: number): number {
  return nanoOfPosition(endBucket);
}

/** @throws StorageError STORAGE_BAD_QUERY for values that `GoodCountsQuery` does not allow */
export function checkGoodCounts(query: GoodCountsQuery): void {
  const { service, operations, spanKinds, startUnixMs, endUnixMs, stepMs } = query;
  checkTexts([service, ...operations]);
  if (operations.length > mostOperations) {
    throw badQuery(`${operations.length} operations are over the limit of ${mostOperations}`);
  }
  if (spanKinds.length === 0) {
    throw badQuery("no kind of span is given");
  }
  const times = [startUnixMs, endUnixMs, stepMs];
  if (!times.every((ms) => Number.isSafeInteger(ms / minuteMs)) || startUnixMs < 0 || stepMs < minuteMs) {
    throw badQuery("start, end and step must be whole minutes, and start not before 1970");
  }
  if (endUnixMs <= startUnixMs) {
    throw badQuery("the end is not after the start");
  }
  const steps = Math.ceil((endUnixMs - startUnixMs) / stepMs);
  if (steps > mostSteps) {
    throw badQuery(`${steps} steps are over the limit of ${mostSteps}`);
  }
}

function badQuery(message: string): StorageError {
  return new StorageError("STORAGE_BAD_QUERY", message);
}

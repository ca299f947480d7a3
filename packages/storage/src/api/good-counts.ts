import type { SpanKind } from "wire/model";
import { checkTexts } from "./checked-query.ts";
import { bucketsPerDoubling, nanoOfPosition } from "./duration-buckets.ts";
import { StorageError } from "./storage-error.ts";

const minuteMs = 60_000;
/** Most steps of one answer: 31 days of hours, or half a day of minutes. */
const mostSteps = 750;
/** The names are sent in a request's address. */
const mostOperations = 100;

/** Which spans of a service are counted, and which of them are good. */
export interface GoodCountsQuery {
  /** Name of the service. */
  readonly service: string;
  /** Names of operations; all operations when it is empty. */
  readonly operations: readonly string[];
  /** At least one. */
  readonly spanKinds: readonly SpanKind[];
  /** Whole minutes, milliseconds since the Unix epoch; half open. */
  readonly startUnixMs: number;
  /** End of the time, exclusive. */
  readonly endUnixMs: number;
  /** Whole minutes; the last step may end early. */
  readonly stepMs: number;
  /** Good spans are in a bucket of durations below this one, see `fastBucket`; absent: any duration is good. */
  readonly endBucket?: number | undefined;
}

/** Spans of one step. Spans that were sampled count as what they stand for. */
export interface GoodCount {
  /** Index of the step, from 0. Steps without spans are left out. */
  readonly step: number;
  /** All spans that were asked for. */
  readonly total: number;
  /** Those without an error that were fast enough. */
  readonly good: number;
}

/**
 * The bucket whose lower bound is nearest to a duration: spans in buckets below it count as fast enough.
 * @param latencyNano nanoseconds, at least 1
 */
export function fastBucket(latencyNano: number): number {
  return Math.round(Math.log2(Math.max(1, latencyNano)) * bucketsPerDoubling);
}

/** The duration that {@link fastBucket} stands for, in nanoseconds: at most 4.5 % from the one that was asked for. */
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

import type { SpanKind } from "wire/model";
import { StorageError } from "./storage-error.ts";

const minuteMs = 60_000;
const maxMinute = 2 ** 31 - 1;

/** Selects all spans that start in a range of minutes. */
export interface SpanCountQuery {
  /** Start of the time range in milliseconds since the Unix epoch, a whole minute; inclusive. */
  readonly startUnixMs: number;
  /** End of the time range, exclusive; a whole minute. */
  readonly endUnixMs: number;
}

/** Counts of spans of one operation with a similar duration. */
export interface SpanCount {
  readonly service: string;
  readonly operation: string;
  readonly spanKind: SpanKind;
  /** Index of the duration bucket, see `durationOfBucket`. */
  readonly durationBucket: number;
  /** Spans in this duration bucket, failed ones included. */
  readonly calls: number;
  /** Number of failed spans. */
  readonly errors: number;
  /** Sum of the durations of all calls in nanoseconds. A negative duration counts as 0. */
  readonly durationNano: number;
}

/** @throws StorageError STORAGE_BAD_QUERY unless the times are whole minutes */
export function checkedCountMinutes({ startUnixMs, endUnixMs }: SpanCountQuery): {
  startMinute: number;
  endMinute: number;
} {
  const [startMinute, endMinute] = [startUnixMs / minuteMs, endUnixMs / minuteMs];
  const isMinute = (minute: number) => Number.isSafeInteger(minute) && minute >= 0 && minute <= maxMinute;
  if (!isMinute(startMinute) || !isMinute(endMinute)) {
    throw new StorageError("STORAGE_BAD_QUERY", "counts begin and end at whole minutes since 1970");
  }
  return { startMinute, endMinute };
}

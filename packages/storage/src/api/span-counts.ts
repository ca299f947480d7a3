import type { SpanKind } from "wire/model";
import { StorageError } from "./storage-error.ts";

const minuteMs = 60_000;
const maxMinute = 2 ** 31 - 1;

/** Spans of all services that start in these minutes. */
export interface SpanCountQuery {
  /** Milliseconds since the Unix epoch, a whole minute. */
  readonly startUnixMs: number;
  /** The first minute that does not count. */
  readonly endUnixMs: number;
}

/** Spans of one operation that last about as long. */
export interface SpanCount {
  /** Name of the service. */
  readonly service: string;
  /** Name of the operation. */
  readonly operation: string;
  /** Kind of the spans. */
  readonly spanKind: SpanKind;
  /** See `durationOfBucket`. */
  readonly durationBucket: number;
  /** Number of spans. */
  readonly calls: number;
  /** Number of those that failed. */
  readonly errors: number;
  /** Sum for all calls; negative durations count as 0. */
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

import type { PartialReason } from "./partial-answer.ts";
import type { ReadOptions, TraceQuery } from "./span-reader.ts";
import { StorageError } from "./storage-error.ts";

/** Time range of a read in nanoseconds since the Unix epoch, both ends inclusive. Absent: no bound. */
export interface AskedTime {
  /** Earliest start of the spans, if the caller knows it; the store can then skip older days. */
  readonly startUnixNano?: bigint | undefined;
  /** Latest start of the spans, if the caller knows it. */
  readonly endUnixNano?: bigint | undefined;
}

/** The range of start times of the spans that a search can return. */
export function timeOf({
  startTimeMinUnixNano,
  startTimeMaxUnixNano,
}: Pick<TraceQuery, "startTimeMinUnixNano" | "startTimeMaxUnixNano">): AskedTime {
  return { startUnixNano: startTimeMinUnixNano, endUnixNano: startTimeMaxUnixNano };
}

/** True when the missing spans that a reason describes may belong to this time range. */
export function concerns(
  { startUnixMs, endUnixMs }: PartialReason,
  { startUnixNano, endUnixNano }: AskedTime,
): boolean {
  const isAfter = (unixMs: number, bound: bigint) => unixMs * 1e6 > Number(bound);
  if (startUnixMs !== undefined && endUnixNano !== undefined && isAfter(startUnixMs, endUnixNano)) {
    return false;
  }
  // `endUnixMs` includes its whole millisecond, so the comparison adds 1.
  return !(endUnixMs !== undefined && startUnixNano !== undefined && !isAfter(endUnixMs + 1, startUnixNano));
}

/**
 * Options for reads of these time ranges. Missing data outside of these ranges does not make the answer partial. If the
 * caller cannot accept a partial answer, a read with missing data fails.
 */
export function withinTime<Options extends ReadOptions>(
  options: Options,
  ...times: readonly AskedTime[]
): Options {
  const { onPartial = refusePartial } = options;
  return {
    ...options,
    onPartial(reason: PartialReason) {
      if (times.some((time) => concerns(reason, time))) {
        onPartial(reason);
      }
    },
  };
}

/** A handler for partial results, for callers that cannot report them. @throws StorageError STORAGE_UNAVAILABLE */
export function refusePartial({ text }: PartialReason): never {
  throw new StorageError("STORAGE_UNAVAILABLE", `the answer would be partial: ${text}`);
}

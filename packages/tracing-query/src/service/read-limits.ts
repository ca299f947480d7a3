import type { PackedTrace, TraceQuery } from "storage/api";
import { QueryError } from "../query-error.ts";

/** Limits of one request and its answer. Infinity: no limit. */
export interface ReadLimits {
  /** Most traces of a search, or ids of a request. */
  readonly maxTraces: number;
  /** Most spans of an answer. */
  readonly maxSpans: number;
  /** Approximate limit of the bytes of a TraceQL answer. Absent: Infinity. */
  readonly maxAnswerBytes?: number | undefined;
  /** Longest time range of a search. */
  readonly maxRangeNano: bigint | undefined;
}

/** @throws QueryError QUERY_BAD_PARAMETER for more traces, or a longer time, than allowed */
export function checkLimits(
  { limit, startTimeMinUnixNano, startTimeMaxUnixNano }: TraceQuery,
  { maxTraces, maxRangeNano }: ReadLimits,
): void {
  if (limit > maxTraces) {
    throw tooMany("limit", "a search for", limit, maxTraces);
  }
  if (maxRangeNano === undefined) {
    return;
  }
  const end = startTimeMaxUnixNano ?? BigInt(Date.now()) * 1_000_000n;
  if (end - (startTimeMinUnixNano ?? 0n) > maxRangeNano) {
    const hours = Number(maxRangeNano / 1_000_000_000n) / 3_600;
    throw new QueryError(
      "QUERY_BAD_PARAMETER",
      `a search from start to end is longer than the limit of ${hours} h of --query.max-time-range`,
      { parameter: "start", limit: { name: "query.max-time-range", value: `${hours}h` } },
    );
  }
}

/** @throws QueryError QUERY_BAD_PARAMETER for more ids than allowed */
export function checkTraceIds(traceIds: readonly string[], { maxTraces }: ReadLimits): void {
  if (traceIds.length > maxTraces) {
    throw tooMany("traceID", "a request for", traceIds.length, maxTraces);
  }
}

/** @throws QueryError QUERY_TOO_LARGE for more spans than allowed */
export function checkSpans(traces: readonly PackedTrace[], { maxSpans }: ReadLimits): void {
  const spans = traces.reduce((sum, trace) => sum + trace.spans.length, 0);
  if (spans > maxSpans) {
    throw new QueryError(
      "QUERY_TOO_LARGE",
      `the answer holds ${spans} spans, over the limit of ${maxSpans} of --query.max-spans: ask for fewer traces`,
      { limit: { name: "query.max-spans", value: maxSpans } },
    );
  }
}

function tooMany(parameter: string, what: string, count: number, limit: number): QueryError {
  return new QueryError(
    "QUERY_BAD_PARAMETER",
    `${what} ${count} traces is over the limit of ${limit} of --query.max-traces`,
    { parameter, limit: { name: "query.max-traces", value: limit } },
  );
}

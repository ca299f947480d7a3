import type { PackedTrace, TraceQuery } from "storage/api";
import { QueryError } from "../query-error.ts";

/** Default limit of traces in a search: Jaeger's number. */
export const defaultSearchLimit = 100;

/**
 * Sizes that one request and its answer may have. Infinity: no limit. An error text names the option, its value and a
 * smaller request to try: see the functions below.
 */
export interface ReadLimits {
  /** Maximum number of traces in a search, and of ids in a request. */
  readonly maxTraces: number;
  /** Maximum number of spans in an answer. An answer with more fails. */
  readonly maxSpans: number;
  /** Approximate limit of the bytes of a TraceQL answer. Absent: Infinity. */
  readonly maxAnswerBytes?: number | undefined;
  /** Longest time range of a search in nanoseconds; undefined: no limit. */
  readonly maxRangeNano: bigint | undefined;
}

/**
 * Checks a search before the store is queried. The user sees one of these texts with status 400:
 *
 * ```
 * a search for 500 traces is over the limit of 100 of --query.max-traces
 * a search from start to end is longer than the limit of 2 h of --query.max-time-range
 * ```
 *
 * @throws QueryError QUERY_BAD_PARAMETER for more traces, or a longer time range, than allowed
 */
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

/**
 * Checks a list of ids. The user sees `a request for 500 traces is over the limit of 100 of
 * --query.max-traces`.
 * @throws QueryError QUERY_BAD_PARAMETER for more ids than allowed
 */
export function checkTraceIds(traceIds: readonly string[], { maxTraces }: ReadLimits): void {
  if (traceIds.length > maxTraces) {
    throw tooMany("traceID", "a request for", traceIds.length, maxTraces);
  }
}

/**
 * Checks the traces that the store found, before they are written as JSON. The user sees status 413 and this text:
 *
 * ```
 * the answer holds 1200000 spans, over the limit of 1000000 of --query.max-spans: ask for fewer traces
 * ```
 *
 * @throws QueryError QUERY_TOO_LARGE for more spans than allowed
 */
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

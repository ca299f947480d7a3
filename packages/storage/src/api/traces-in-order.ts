import type { Span } from "wire/model";
import type { Trace } from "./span-reader.ts";

/**
 * Groups spans into traces.
 * @param traceIds ids without repeats; ids without spans are left out
 * @param spans spans in any order; spans with equal start keep their order
 */
export function tracesInOrder(traceIds: readonly string[], spans: readonly Span[]): Trace[] {
  const byId = new Map<string, Span[]>(traceIds.map((id) => [id, []]));
  for (const span of spans) {
    byId.get(span.traceId)?.push(span);
  }
  return [...byId]
    .filter(([, ofTrace]) => ofTrace.length > 0)
    .map(([traceId, ofTrace]) => ({ traceId, spans: ofTrace.sort(byStart) }));
}

function byStart(one: Span, other: Span): number {
  if (one.startTimeUnixNano === other.startTimeUnixNano) {
    return 0;
  }
  return one.startTimeUnixNano < other.startTimeUnixNano ? -1 : 1;
}

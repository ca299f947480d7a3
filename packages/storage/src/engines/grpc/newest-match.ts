import type { Span } from "wire/model";
import type { Trace, TraceQuery } from "../../api/span-reader.ts";

/**
 * Sorts traces by their newest matching span, newest first, as every search must. The API returns traces in any order,
 * without the matching spans. Tags are ignored, because each store compares tags in its own way.
 */
export function newestFirst(traces: readonly Trace[], query: TraceQuery): Trace[] {
  return traces
    .map((trace) => ({ trace, start: newestMatch(trace, query) }))
    .sort((one, other) => {
      if (one.start === other.start) {
        return one.trace.traceId < other.trace.traceId ? -1 : 1;
      }
      return one.start > other.start ? -1 : 1;
    })
    .map(({ trace }) => trace);
}

function newestMatch({ spans }: Trace, query: TraceQuery): bigint {
  const matching = spans.filter((span) => maySatisfy(span, query));
  // Spans are ordered by start, so the last matching span is the newest.
  return (matching.at(-1) ?? spans.at(-1))?.startTimeUnixNano ?? 0n;
}

function maySatisfy(span: Span, query: TraceQuery): boolean {
  const { startTimeMinUnixNano: startMin, startTimeMaxUnixNano: startMax } = query;
  return (
    (!query.service || span.resource.serviceName === query.service) &&
    (!query.operation || span.name === query.operation) &&
    (startMin === undefined || span.startTimeUnixNano >= startMin) &&
    (startMax === undefined || span.startTimeUnixNano <= startMax) &&
    (!query.durationMinNano || span.durationNano >= query.durationMinNano) &&
    (!query.durationMaxNano || span.durationNano <= query.durationMaxNano) &&
    (query.spanKind === undefined || span.kind === query.spanKind) &&
    (query.hasError === undefined || (span.status.code === "error") === query.hasError)
  );
}

import { adjustedCount, hasParentLink, lengthNano, type Span } from "wire/model";
import type { TimeRange } from "../../../api/analysis-reader.ts";
import type { QueryFields } from "../../../traceql/query-fields.ts";
import { storedValue } from "../../../traceql/stored-value.ts";
import type { SpanFacts } from "../../../traceql/trace-view.ts";

/** True when a span starts in the range; both ends belong to the range. */
export function startsWithin(
  { startTimeUnixNano }: Span,
  { startUnixNano, endUnixNano }: TimeRange,
): boolean {
  return startTimeUnixNano >= startUnixNano && startTimeUnixNano <= endUnixNano;
}

/**
 * The fields of a span that TraceQL uses. @param adjusted true: include the number of original spans that the span
 * represents
 */
export function factsOf(span: Span, range: TimeRange, fields: QueryFields, adjusted = false): SpanFacts {
  return {
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    hasParentLink: hasParentLink(span),
    service: span.resource.serviceName,
    name: span.name,
    kind: span.kind,
    status: span.status.code,
    startUnixNano: span.startTimeUnixNano,
    durationNano: lengthNano(span),
    isInRange: startsWithin(span, range),
    ...(adjusted ? { adjustedCount: adjustedCount(span) } : {}),
    values: fields.stored.map((field) => storedValue(span, field)),
  };
}

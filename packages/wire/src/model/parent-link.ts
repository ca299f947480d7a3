import type { Span, SpanLink } from "./span.ts";

/** The attribute in which bridges from OpenTracing name the type of a link. */
export const refTypeKey = "opentracing.ref_type";

/** True for a link whose attribute names it a link to a parent. */
export function isParentLink({ attributes }: Pick<SpanLink, "attributes">): boolean {
  return attributes.some(
    ({ key, value }) => key === refTypeKey && value.type === "string" && value.value === "child_of",
  );
}

/**
 * True when a span without a parent id names a parent in its trace by a link. Bridges from OpenTracing link to all
 * parents so. Such a span is not the root of its trace.
 */
export function hasParentLink({ traceId, spanId, parentSpanId, links }: Span): boolean {
  return (
    parentSpanId === "" &&
    links.some((link) => link.traceId === traceId && link.spanId !== spanId && isParentLink(link))
  );
}

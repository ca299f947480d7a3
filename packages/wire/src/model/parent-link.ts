import type { Span, SpanLink } from "./span.ts";

/** Key of the attribute with the type of a link, which OpenTracing bridges set. */
export const refTypeKey = "opentracing.ref_type";

/** True for a link whose attribute says that it points to a parent. */
export function isParentLink({ attributes }: Pick<SpanLink, "attributes">): boolean {
  return attributes.some(
    ({ key, value }) => key === refTypeKey && value.type === "string" && value.value === "child_of",
  );
}

/**
 * True when a span without a parent id names a parent in its trace by a link. OpenTracing bridges create such links to
 * all parents. Such a span is not the root of its trace.
 */
export function hasParentLink({ traceId, spanId, parentSpanId, links }: Span): boolean {
  return (
    parentSpanId === "" &&
    links.some((link) => link.traceId === traceId && link.spanId !== spanId && isParentLink(link))
  );
}

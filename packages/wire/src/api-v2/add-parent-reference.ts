import { type SpanRef, SpanRefType } from "../gen/tracing/api_v2/model.ts";

/**
 * Adds a parent, which older formats tell apart from the references: nothing is added for a parent id of zero, nor
 * when any reference to that very span is there already (a client that says FOLLOWS_FROM names the same span as the
 * parent); otherwise a CHILD_OF reference comes first. Source: `MaybeAddParentSpanID` of Jaeger 1.62.
 * @param references not changed
 */
export function addParentReference(references: SpanRef[], traceId: Buffer, parentSpanId: Buffer): SpanRef[] {
  const isThere = references.some(
    (reference) => reference.spanId.equals(parentSpanId) && reference.traceId.equals(traceId),
  );
  return isThere || parentSpanId.every((byte) => byte === 0)
    ? references
    : [{ traceId, spanId: parentSpanId, refType: SpanRefType.CHILD_OF }, ...references];
}

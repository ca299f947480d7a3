import { type SpanRef, SpanRefType } from "../gen/tracing/api_v2/model.ts";

/**
 * Adds the parent as a reference. Older formats store the parent separately from the references. Nothing is added for a
 * parent id of zero, or when a reference to that span exists: a client that sends FOLLOWS_FROM names the same span as
 * the parent. Otherwise a CHILD_OF reference is put first. Source: `MaybeAddParentSpanID` of Jaeger 1.62.
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

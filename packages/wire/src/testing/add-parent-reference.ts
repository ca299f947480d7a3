import { type SpanRef, SpanRefType } from "../gen/tracing/api_v2/model.ts";

/**
 * Adds the parent as a reference. Older formats store the parent separately from the references. A parent id of zero
 * adds nothing; neither does a parent with an existing reference, because a client that sends FOLLOWS_FROM names the
 * same span as the parent. Otherwise the result starts with a CHILD_OF reference to the parent. Source:
 * `MaybeAddParentSpanID` of Jaeger 1.62.
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

import { type Span as ApiV2Span, type SpanRef, SpanRefType } from "wire/api-v2-model";
import type { ApiTrace } from "../api-trace.ts";
import { parentReference } from "../span-facts.ts";

/**
 * Removes references to the trace id 0, which no trace can have, with a warning for each.
 *
 * ```
 * before  references [{traceID 0, CHILD_OF 7}]   after  references []
 *                                                       warnings ["Invalid span reference removed {TraceID:0000000000000000 …}"]
 * ```
 */
export function removeBadReferences(trace: ApiTrace): void {
  for (const span of trace.spans) {
    const bad = span.references.filter(isBad);
    if (bad.length > 0) {
      span.references = span.references.filter((reference) => !isBad(reference));
      span.warnings.push(...bad.map((reference) => `Invalid span reference removed ${dump(reference)}`));
    }
  }
}

/**
 * Swaps the reference to the parent to the front, because UIs treat the first reference as the parent.
 *
 * ```
 * before  [FOLLOWS_FROM other-trace/9, CHILD_OF this-trace/5]   after  [CHILD_OF this-trace/5, FOLLOWS_FROM other-trace/9]
 * ```
 */
export function putParentFirst(trace: ApiTrace): void {
  for (const span of trace.spans) {
    swapParentToFront(span);
  }
}

function isBad(reference: SpanRef): boolean {
  return reference.traceId.every((byte) => byte === 0);
}

/** Prints the structure as Jaeger does, with its internal fields. */
function dump({ spanId, refType }: SpanRef): string {
  const type = refType === SpanRefType.CHILD_OF ? "CHILD_OF" : "FOLLOWS_FROM";
  return (
    `{TraceID:0000000000000000 SpanID:${spanId.toString("hex")} RefType:${type} ` +
    "XXX_NoUnkeyedLiteral:{} XXX_unrecognized:[] XXX_sizecache:0}"
  );
}

function swapParentToFront(span: ApiV2Span): void {
  const parent = parentReference(span);
  const [first] = span.references;
  if (parent !== undefined && first !== undefined && parent !== first) {
    span.references[span.references.indexOf(parent)] = first;
    span.references[0] = parent;
  }
}

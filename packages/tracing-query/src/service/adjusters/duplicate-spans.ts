import { Span as ApiV2Span } from "wire/api-v2-model";
import type { ApiTrace } from "../api-trace.ts";
import { idKey } from "../span-facts.ts";

/**
 * Removes spans that are equal in every field, as senders that repeat themselves make them. The first one
 * stays.
 *
 * ```
 * before  span 5 "GET /", span 5 "GET /", span 5 "GET /x"     after  span 5 "GET /", span 5 "GET /x"
 * ```
 */
export function removeDuplicateSpans(trace: ApiTrace): void {
  const byId = Map.groupBy(trace.spans, (span) => idKey(span.spanId));
  if (byId.size === trace.spans.length) {
    return;
  }
  const seen = new Set<string>();
  trace.spans = trace.spans.filter((span) => {
    // Encoding is expensive, and only spans that share an id can be equal.
    if (byId.get(idKey(span.spanId))?.length === 1) {
      return true;
    }
    const encoded = Buffer.from(ApiV2Span.encode(span).finish()).toString("latin1");
    const isFirst = !seen.has(encoded);
    seen.add(encoded);
    return isFirst;
  });
}

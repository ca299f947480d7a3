import { ApiV2Span } from "wire/api-v2";
import type { ApiTrace } from "../api-trace.ts";
import { idKey } from "../span-facts.ts";

/** Removes spans that are alike in every field, as a sender that repeats itself makes them. The first one stays. */
export function removeDuplicateSpans(trace: ApiTrace): void {
  const byId = Map.groupBy(trace.spans, (span) => idKey(span.spanId));
  if (byId.size === trace.spans.length) {
    return;
  }
  const seen = new Set<string>();
  trace.spans = trace.spans.filter((span) => {
    // Encoding is what costs: only spans that share an id can be alike.
    if (byId.get(idKey(span.spanId))?.length === 1) {
      return true;
    }
    const encoded = Buffer.from(ApiV2Span.encode(span).finish()).toString("latin1");
    const isFirst = !seen.has(encoded);
    seen.add(encoded);
    return isFirst;
  });
}

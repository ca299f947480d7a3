import type { SpanFacts } from "./trace-view.ts";

/**
 * The spans of a trace without those that were sent twice: senders repeat a batch whose answer got lost. Both sides of a call
 * may share an id, so a repeated span is one with the id, kind, service, name and times of another. The first one stays.
 */
export function distinctFacts(facts: readonly SpanFacts[]): readonly SpanFacts[] {
  const ids = new Set<string>();
  for (const { spanId } of facts) ids.add(spanId);
  if (ids.size === facts.length) return facts;
  const seen = new Set<string>();
  return facts.filter(({ spanId, kind, startUnixNano, durationNano, service, name }) => {
    const key = `${spanId} ${kind} ${startUnixNano} ${durationNano} ${service}\n${name}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

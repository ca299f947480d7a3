import type { SpanFacts } from "./trace-view.ts";

/**
 * Removes copies from the spans of a trace. Senders cause copies when they repeat a batch whose answer was lost. The
 * client span and the server span of a call may share an id, so copies must also have the same kind, service, name,
 * status and times. The first copy stays.
 */
export function distinctFacts(facts: readonly SpanFacts[]): readonly SpanFacts[] {
  const ids = new Set<string>();
  for (const { spanId } of facts) {
    ids.add(spanId);
  }
  if (ids.size === facts.length) {
    return facts;
  }
  const seen = new Set<string>();
  return facts.filter(({ spanId, kind, status, startUnixNano, durationNano, service, name }) => {
    const key = `${spanId} ${kind} ${status} ${startUnixNano} ${durationNano} ${service}\n${name}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

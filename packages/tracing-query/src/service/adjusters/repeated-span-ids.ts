import { Span as ApiV2Span, SpanRefType } from "wire/api-v2-model";
import type { ApiTrace } from "../api-trace.ts";
import { hasKind, idKey, parentKey, parentReference } from "../span-facts.ts";

/**
 * Zipkin lets the client's and the server's side of a call share one span id. The server's span gets the
 * smallest unused id counted from 1, with the shared id as its parent. Children of the shared id become the
 * server's. The step is Jaeger's.
 *
 * ```
 * before  client 5  (parent 0)      after  client 5  (parent 0)
 *         server 5  (parent 0)             server 1  (parent 5)
 *         db     7  (parent 5)             db     7  (parent 1)
 * ```
 *
 * A trace without client spans stays unchanged, and costs one pass.
 */
export function giveUniqueSpanIds(trace: ApiTrace): void {
  const used = new Set<string>();
  const ofClients = new Set<string>();
  for (const span of trace.spans) {
    const key = idKey(span.spanId);
    used.add(key);
    if (hasKind(span, "client")) {
      ofClients.add(key);
    }
  }
  if (ofClients.size === 0) {
    return;
  }

  let last = 0n;
  const unusedId = () => {
    const id = Buffer.alloc(8);
    do {
      id.writeBigUInt64BE(++last);
    } while (used.has(idKey(id)));
    return id;
  };

  const newIds = new Map<string, Buffer>();
  for (const span of trace.spans) {
    const key = idKey(span.spanId);
    if (ofClients.has(key) && hasKind(span, "server")) {
      const id = unusedId();
      newIds.set(key, id);
      setParent(span, span.spanId);
      span.spanId = id;
    }
  }
  if (newIds.size === 0) {
    return;
  }
  for (const span of trace.spans) {
    const newParent = newIds.get(parentKey(span));
    if (newParent !== undefined && !newParent.equals(span.spanId)) {
      setParent(span, newParent);
    }
  }
}

/** Sets the reference to the parent to `parent`. A root gets a new CHILD_OF reference in front. */
function setParent(span: ApiV2Span, parent: Buffer): void {
  const reference = parentReference(span);
  if (reference === undefined) {
    span.references.unshift({ traceId: span.traceId, spanId: parent, refType: SpanRefType.CHILD_OF });
  } else {
    reference.spanId = parent;
  }
}

/**
 * Removes spans that are equal in every field: a sender repeated them. The first span
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

/** The part of OTLP JSON that commands read. Ids are hex digits. */
export interface OtlpTraces {
  readonly resourceSpans?: readonly {
    // The program that sent the spans; its attribute `service.name` names the service.
    readonly resource?: { readonly attributes?: readonly OtlpAttribute[] };
    readonly scopeSpans?: readonly { readonly spans?: readonly OtlpSpan[] }[];
  }[];
}

/**
 * An attribute with the members that commands read. Numbers and lists have other members, which stay unchanged.
 */
export interface OtlpAttribute {
  readonly key: string;
  readonly value?: { readonly stringValue?: string };
}

/** The fields of a span that commands read. Whole messages keep their other fields. */
export interface OtlpSpan {
  /** Trace id, 32 hex digits. */
  readonly traceId: string;
  /** Span id, 16 hex digits. In Zipkin traces the client and the server of a call can share an id. */
  readonly spanId: string;
  /** Span id of the parent; absent or empty for a root. */
  readonly parentSpanId?: string;
  readonly name?: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer, or the names such as `SPAN_KIND_SERVER`. */
  readonly kind?: number | string;
  /** Nanoseconds since the Unix epoch, in decimal digits: a JSON number would lose the last digits. */
  readonly startTimeUnixNano?: string;
  readonly endTimeUnixNano?: string;
  readonly attributes?: readonly OtlpAttribute[];
  /** Status of the span; code 2 or STATUS_CODE_ERROR means that the span failed. */
  readonly status?: { readonly code?: number | string; readonly message?: string };
}

/**
 * Attribute in which the collector stores the format of a received span. The collector adds it again when the span is
 * imported, so an export must remove the attribute.
 */
const formatKey = "internal.span.format";

/**
 * A trace as its programs sent it: without the attribute that the collector added. All other members stay unchanged.
 */
export function asSent(traces: OtlpTraces): OtlpTraces {
  return {
    ...traces,
    resourceSpans: (traces.resourceSpans ?? []).map((resourceSpans) => ({
      ...resourceSpans,
      scopeSpans: (resourceSpans.scopeSpans ?? []).map((scopeSpans) => ({
        ...scopeSpans,
        spans: (scopeSpans.spans ?? []).map((span) =>
          span.attributes === undefined
            ? span
            : { ...span, attributes: span.attributes.filter(({ key }) => key !== formatKey) },
        ),
      })),
    })),
  };
}

/** A span of a tree. */
export interface SpanNode {
  readonly service: string;
  readonly span: OtlpSpan;
  readonly startNano: bigint;
  readonly endNano: bigint;
  /** Child spans, ordered by start. */
  readonly children: SpanNode[];
}

/**
 * Spans below their parents, ordered by start. Traces can be incomplete or wrong, and each span must still be shown
 * once:
 *
 * - A span whose parent is not in the trace is a root.
 * - In a cycle of parents the first span is a root.
 * - A span that names itself as parent is a root.
 * - If a client and a server share an id, children belong to the server.
 */
export function spanTree(traces: OtlpTraces): SpanNode[] {
  const nodes: SpanNode[] = [];
  for (const { resource, scopeSpans = [] } of traces.resourceSpans ?? []) {
    const service =
      resource?.attributes?.find(({ key }) => key === "service.name")?.value?.stringValue ??
      "unknown_service";
    for (const span of scopeSpans.flatMap(({ spans = [] }) => spans)) {
      const startNano = BigInt(span.startTimeUnixNano ?? "0");
      nodes.push({ service, span, startNano, endNano: BigInt(span.endTimeUnixNano ?? "0"), children: [] });
    }
  }
  nodes.sort((one, other) =>
    one.startNano < other.startNano ? -1 : one.startNano > other.startNano ? 1 : 0,
  );
  const bySpanId = new Map<string, SpanNode>();
  for (const node of nodes) {
    if (!bySpanId.has(node.span.spanId) || isServer(node)) {
      bySpanId.set(node.span.spanId, node); // client and server of a Zipkin trace may share an id
    }
  }
  const parentOf = (node: SpanNode) => {
    const parent = bySpanId.get(node.span.parentSpanId ?? "");
    return parent === node ? undefined : parent;
  };
  for (const node of nodes) {
    parentOf(node)?.children.push(node);
  }
  const roots = nodes.filter((node) => parentOf(node) === undefined);
  const reached = new Set<SpanNode>();
  roots.forEach((root) => {
    reach(root, reached);
  });
  for (const node of nodes) {
    if (!reached.has(node)) {
      const siblings = parentOf(node)?.children ?? [];
      siblings.splice(siblings.indexOf(node), 1);
      roots.push(node);
      reach(node, reached);
    }
  }
  return roots;
}

/** Adds a node and all nodes below it to `reached`. Uses no recursion, because traces can be deep. */
function reach(root: SpanNode, reached: Set<SpanNode>): void {
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    reached.add(node);
    // Children are pushed one by one, because a call with 200,000 arguments would overflow the stack.
    for (const child of node.children) {
      if (!reached.has(child)) {
        waiting.push(child);
      }
    }
  }
}

function isServer({ span }: SpanNode): boolean {
  return span.kind === 2 || span.kind === "SPAN_KIND_SERVER";
}

/** True when a span failed. */
export function hasFailed({ status }: OtlpSpan): boolean {
  return status?.code === 2 || status?.code === "STATUS_CODE_ERROR";
}

import { isSmallCorrection } from "./clock-correction.ts";
import { isErrorSpan, isNegativeDuration, parentIdOf, spanDurationUs } from "./span-facts.ts";
import { layOutTree } from "./span-tree.ts";
import { spanFlag, type Trace } from "./trace.ts";
import type { ApiSpan, ApiTrace } from "./trace-schema.ts";
import { withStarts } from "./with-starts.ts";

/**
 * Lays out a trace received from the query service. Never throws: missing parents, cycles, duplicate ids, missing
 * starts and negative durations are flagged on their spans. Every span of the input is in the result once. Cost: a
 * sort by start if the spans are not in order, and a few passes.
 */
export function buildTrace(received: ApiTrace): Trace {
  const input = { ...received, spans: withStarts(received.spans) };
  const { parentOf, flagsOf } = findParents(input.spans);
  const tree = layOutTree(parentOf, sortByStart(input.spans));
  for (const node of tree.cutNodes) {
    flagsOf[node] = (flagsOf[node] as number) | spanFlag.cycle;
  }

  const n = input.spans.length;
  const spans = inOrder(input.spans, tree.order);
  const bounds = timeBounds(spans);
  const offsetUs = new Float64Array(n);
  const spanUs = new Float64Array(n);
  const service = new Int32Array(n);
  const flags = new Uint8Array(n);
  const errorsBefore = new Int32Array(n + 1);
  const serviceIndex = new Map<string, number>();
  let levels = 0;

  spans.forEach((span, at) => {
    offsetUs[at] = span.startTime - bounds.startUs;
    spanUs[at] = spanDurationUs(span);
    flags[at] = (flagsOf[tree.order[at] as number] as number) | ownFlags(span);
    const failed = ((flags[at] as number) & spanFlag.error) !== 0 ? 1 : 0;
    errorsBefore[at + 1] = (errorsBefore[at] as number) + failed;
    const name = input.processes[span.processID]?.serviceName ?? "(unknown service)";
    let index = serviceIndex.get(name);
    if (index === undefined) {
      index = serviceIndex.size;
      serviceIndex.set(name, index);
    }
    service[at] = index;
    levels = Math.max(levels, (tree.depth[at] as number) + 1);
  });

  return {
    traceId: input.traceID,
    spans,
    processes: input.processes,
    warnings: input.warnings ?? [],
    ...bounds,
    offsetUs,
    spanUs,
    parent: tree.parent,
    depth: tree.depth,
    subtreeEnd: tree.subtreeEnd,
    service,
    flags,
    errorsBefore,
    services: [...serviceIndex.keys()],
    levels,
  };
}

/** The spans in the order of the tree. */
function inOrder(spans: readonly ApiSpan[], order: Int32Array): ApiSpan[] {
  const ordered = new Array<ApiSpan>(order.length);
  for (let at = 0; at < order.length; at += 1) {
    ordered[at] = spans[order[at] as number] as ApiSpan;
  }
  return ordered;
}

/** The flags that depend only on the span, not on its parents. */
function ownFlags(span: ApiSpan): number {
  const warned = (span.warnings ?? []).some((text) => !isSmallCorrection(text)) || isNegativeDuration(span);
  return (isErrorSpan(span) ? spanFlag.error : 0) | (warned ? spanFlag.warning : 0);
}

/**
 * Per span: index of its parent, −1 for none, and the flags of wrong ids. If spans share an id, the first is the
 * parent.
 */
function findParents(spans: readonly ApiSpan[]) {
  const parentOf = new Int32Array(spans.length).fill(-1);
  const flagsOf = new Uint8Array(spans.length);
  const byId = new Map<string, number>();
  spans.forEach((span, node) => {
    if (byId.has(span.spanID)) {
      flagsOf[node] = spanFlag.duplicateId;
    } else {
      byId.set(span.spanID, node);
    }
  });
  spans.forEach((span, node) => {
    const parentId = parentIdOf(span);
    if (parentId === undefined) {
      return;
    }
    const parent = byId.get(parentId);
    if (parent === undefined) {
      flagsOf[node] = (flagsOf[node] as number) | spanFlag.parentMissing;
    } else {
      parentOf[node] = parent;
    }
  });
  return { parentOf, flagsOf };
}

/** Nodes by start. If starts are equal, the longer span comes first: it is more likely the outer span. */
function sortByStart(spans: readonly ApiSpan[]): Int32Array {
  const start = new Float64Array(spans.length);
  const duration = new Float64Array(spans.length);
  const order = new Int32Array(spans.length);
  for (let node = 0; node < spans.length; node += 1) {
    const span = spans[node] as ApiSpan;
    start[node] = span.startTime;
    duration[node] = spanDurationUs(span);
    order[node] = node;
  }
  const compare = (a: number, b: number) =>
    (start[a] as number) - (start[b] as number) || (duration[b] as number) - (duration[a] as number) || a - b;
  // Spans from a query service are mostly in this order already.
  for (let node = 1; node < spans.length; node += 1) {
    if (compare(node - 1, node) > 0) {
      return order.sort(compare);
    }
  }
  return order;
}

/** Earliest start in microseconds since 1970, and duration of the whole trace in microseconds. */
function timeBounds(spans: readonly ApiSpan[]): { startUs: number; durationUs: number } {
  let startUs = Number.POSITIVE_INFINITY;
  let endUs = 0;
  for (const span of spans) {
    startUs = Math.min(startUs, span.startTime);
    endUs = Math.max(endUs, span.startTime + spanDurationUs(span));
  }
  return spans.length === 0 ? { startUs: 0, durationUs: 0 } : { startUs, durationUs: endUs - startUs };
}

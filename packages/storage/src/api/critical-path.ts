import type { Span } from "wire/model";
import type { CriticalPathShare, CriticalPathSums } from "./analysis-reader.ts";
import { nextTurn } from "./next-turn.ts";
import type { Trace } from "./span-reader.ts";

/** The fields on which the critical path depends. */
export type PathSpan = Pick<Span, "spanId" | "parentSpanId" | "startTimeUnixNano" | "durationNano">;

/** A period for which a trace waited for a span itself, not for a child of the span. */
export interface CriticalPathSection<S extends PathSpan = Span> {
  /** Span that the trace waited for. */
  readonly span: S;
  readonly startUnixNano: bigint;
  readonly endUnixNano: bigint;
}

/** Number of spans processed before the event loop gets a turn; takes some milliseconds. */
const spansPerTurn = 4_000;

/** Yields to the event loop at intervals. */
class Turns {
  #left = spansPerTurn;

  /** True when the event loop should get a turn. */
  isOver(): boolean {
    if (--this.#left > 0) {
      return false;
    }
    this.#left = spansPerTurn;
    return true;
  }
}

/** A span, cut to the time range of its parent, with its children ordered by their end. */
interface Node<S extends PathSpan> {
  readonly span: S;
  /** Start of the span, but not before the parent's start. */
  readonly start: bigint;
  /** End of the span, but not after the parent's end. */
  readonly end: bigint;
  /** Parent in the tree, which waits for this span. Undefined for the root. */
  readonly parent: Node<S> | undefined;
  /** Child spans, ordered by end. The walk removes them from the end of the list. */
  readonly children: Node<S>[];
}

/**
 * The critical path of a trace, computed backwards from the end of its first root. At each moment, the path contains
 * the child that ended last; while no child ran, it contains the parent. A child that begins after its parent's end is
 * ignored. A child that ends later is cut at the parent's end.
 *
 * Source: Jaeger's UI, `TracePage/CriticalPath`.
 * @returns sections that do not overlap, latest first
 */
export async function criticalPath<S extends PathSpan>(
  spans: readonly S[],
): Promise<CriticalPathSection<S>[]> {
  const sections: CriticalPathSection<S>[] = [];
  const turns = new Turns();
  let node = await rootOf(spans, turns);
  let until = node?.end ?? 0n;
  while (node !== undefined) {
    const child = lastFinished(node, until);
    const from = child?.end ?? node.start;
    if (until > from) {
      sections.push({ span: node.span, startUnixNano: from, endUnixNano: until });
    }
    until = from;
    node = child ?? node.parent;
    if (turns.isOver()) {
      await nextTurn();
    }
  }
  return sections;
}

/** Removes children from the end of the list until one ended by `until`. `until` never moves forward. */
function lastFinished<S extends PathSpan>({ children }: Node<S>, until: bigint): Node<S> | undefined {
  for (let child = children.pop(); child !== undefined; child = children.pop()) {
    if (child.end <= until) {
      return child;
    }
  }
  return undefined;
}

async function rootOf<S extends PathSpan>(spans: readonly S[], turns: Turns): Promise<Node<S> | undefined> {
  const byParent = new Map<string, S[]>();
  const ids = new Set<string>();
  for (const span of spans) {
    const children = byParent.get(span.parentSpanId);
    if (children === undefined) {
      byParent.set(span.parentSpanId, [span]);
    } else {
      children.push(span);
    }
    ids.add(span.spanId);
    if (turns.isOver()) {
      await nextTurn();
    }
  }
  let first: S | undefined;
  for (const span of spans) {
    if (turns.isOver()) {
      await nextTurn();
    }
    if (span.parentSpanId !== "" && ids.has(span.parentSpanId) && span.parentSpanId !== span.spanId) {
      continue;
    }
    if (first === undefined || span.startTimeUnixNano < first.startTimeUnixNano) {
      first = span;
    }
  }
  if (first === undefined) {
    return undefined;
  }
  const root = nodeOf(first, undefined);
  const seen = new Set<S>([first]);
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const span of byParent.get(node.span.spanId) ?? []) {
      // Spans that share an id would make the walk endless, so each span is visited once.
      if (seen.has(span) || span.startTimeUnixNano > node.end) {
        continue;
      }
      seen.add(span);
      if (turns.isOver()) {
        await nextTurn();
      }
      const child = nodeOf(span, node);
      if (child.end < node.start) {
        continue;
      }
      node.children.push(child);
      open.push(child);
    }
    node.children.sort((one, other) => (one.end === other.end ? 0 : one.end < other.end ? -1 : 1));
  }
  return root;
}

function nodeOf<S extends PathSpan>(span: S, parent: Node<S> | undefined): Node<S> {
  let start = span.startTimeUnixNano;
  let end = start + (span.durationNano > 0n ? span.durationNano : 0n);
  if (parent !== undefined) {
    if (start < parent.start) {
      start = parent.start;
    }
    if (end > parent.end) {
      end = parent.end;
    }
  }
  return { span, start, end, parent, children: [] };
}

/** Sums the critical paths of traces and yields to the event loop after each trace. @param traces read one at a time */
export async function criticalPathSums(traces: Iterable<Trace>): Promise<CriticalPathSums> {
  const shares = new Map<string, { -readonly [Key in keyof CriticalPathShare]: CriticalPathShare[Key] }>();
  let durationNano = 0n;
  let count = 0;
  for (const { spans } of traces) {
    if (count++ > 0) {
      await nextTurn();
    }
    const inTrace = new Set<string>();
    for (const { span, startUnixNano, endUnixNano } of await criticalPath(spans)) {
      const { name: operation, resource } = span;
      const key = JSON.stringify([resource.serviceName, operation]);
      const share = shares.get(key) ?? {
        service: resource.serviceName,
        operation,
        durationNano: 0n,
        traces: 0,
      };
      shares.set(key, share);
      share.durationNano += endUnixNano - startUnixNano;
      durationNano += endUnixNano - startUnixNano;
      if (!inTrace.has(key)) {
        share.traces++;
      }
      inTrace.add(key);
    }
  }
  const operations = [...shares.values()].sort((one, other) =>
    one.durationNano === other.durationNano ? 0 : one.durationNano > other.durationNano ? -1 : 1,
  );
  return { traces: count, durationNano, operations };
}

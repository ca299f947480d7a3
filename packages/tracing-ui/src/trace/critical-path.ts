import { leadingRoot, type Trace } from "./trace.ts";

/** A time range in which the trace waited for one span itself, not for a child of the span. */
export interface PathSection {
  /** Index in the trace of the span that the trace waited for. */
  span: number;
  /** Start, in microseconds after the trace's start. */
  fromUs: number;
  /** End, in microseconds after the trace's start. */
  toUs: number;
}

/** The part of one operation in the critical path. */
export interface PathShare {
  /** Index of the service in `trace.services`. */
  service: number;
  /** Name of the operation. */
  operation: string;
  /** Microseconds of the path that belong to this operation. */
  selfUs: number;
  /** Share of the whole path, 0 to 1. */
  share: number;
  /** Number of the operation's spans on the path. */
  spans: number;
  /** The span of the operation that the trace waited for longest. */
  longest: number;
}

/** The critical path of a trace. */
export interface CriticalPath {
  /** Sections, earliest first, without gaps or overlaps. */
  sections: readonly PathSection[];
  bySpan: ReadonlyMap<number, readonly PathSection[]>;
  /** Shares by operation, longest first. */
  shares: readonly PathShare[];
  /** Microseconds of the whole path. */
  durationUs: number;
}

/** A span within the time of its parent. */
interface Node {
  span: number;
  startUs: number;
  endUs: number;
  /** Children sorted by end: the child that ends last is the last entry. */
  children: { span: number; startUs: number; endUs: number }[];
}

/**
 * Walks back from the end of the leading root. Each moment belongs to the child that ended last, or to the parent when
 * no child ran. Children that begin after their parent's end are ignored. Children that end after it count up
 * to the parent's end. The query service's `/api/analysis/v1/critical-path/{id}` gives the same result.
 */
export function criticalPath(trace: Trace): CriticalPath {
  const sections = pathSections(trace).reverse();
  const bySpan = new Map<number, PathSection[]>();
  let durationUs = 0;
  for (const section of sections) {
    const own = bySpan.get(section.span);
    if (own === undefined) {
      bySpan.set(section.span, [section]);
    } else {
      own.push(section);
    }
    durationUs += section.toUs - section.fromUs;
  }
  return { sections, bySpan, durationUs, shares: pathShares(trace, bySpan, durationUs) };
}

/**
 * The sections from last to first. The walk uses an explicit stack, because a chain of calls may be very
 * deep.
 */
function pathSections(trace: Trace): PathSection[] {
  const root = leadingRoot(trace);
  if (root === undefined) {
    return [];
  }
  const sections: PathSection[] = [];
  const first = nodeOf(trace, root, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  const open = [first];
  let untilUs = first.endUs;
  for (let node = open.at(-1); node !== undefined; node = open.at(-1)) {
    const child = lastFinished(node, untilUs);
    const fromUs = child?.endUs ?? node.startUs;
    if (untilUs > fromUs) {
      sections.push({ span: node.span, fromUs, toUs: untilUs });
    }
    untilUs = fromUs;
    if (child === undefined) {
      open.pop();
    } else {
      open.push(nodeOf(trace, child.span, node.startUs, node.endUs));
    }
  }
  return sections;
}

/**
 * Removes and returns the last child that ended by `untilUs`. Later children are dropped, because `untilUs` only
 * decreases.
 */
function lastFinished({ children }: Node, untilUs: number): Node["children"][number] | undefined {
  for (let child = children.pop(); child !== undefined; child = children.pop()) {
    if (child.endUs <= untilUs) {
      return child;
    }
  }
  return undefined;
}

/** A span with its children, all clipped to the time of the parent. */
function nodeOf(trace: Trace, span: number, leastUs: number, mostUs: number): Node {
  const { startUs, endUs } = clipped(trace, span, leastUs, mostUs);
  const children: Node["children"] = [];
  const end = trace.subtreeEnd[span] as number;
  for (let child = span + 1; child < end; child = trace.subtreeEnd[child] as number) {
    const offsetUs = trace.offsetUs[child] as number;
    if (offsetUs > endUs || offsetUs + (trace.spanUs[child] as number) < startUs) {
      continue;
    }
    children.push({ span: child, ...clipped(trace, child, startUs, endUs) });
  }
  children.sort((a, b) => a.endUs - b.endUs);
  return { span, startUs, endUs, children };
}

/** The time of a span within bounds, in microseconds after the trace's start. */
function clipped(trace: Trace, span: number, leastUs: number, mostUs: number) {
  const startUs = trace.offsetUs[span] as number;
  const endUs = startUs + (trace.spanUs[span] as number);
  return { startUs: Math.max(leastUs, startUs), endUs: Math.min(mostUs, endUs) };
}

/** The sections summed up by operation, the longest first. */
function pathShares(
  trace: Trace,
  bySpan: ReadonlyMap<number, readonly PathSection[]>,
  durationUs: number,
): PathShare[] {
  const shares = new Map<string, PathShare & { longestUs: number }>();
  for (const [span, sections] of bySpan) {
    const service = trace.service[span] as number;
    const operation = trace.spans[span]?.operationName ?? "";
    const key = `${service} ${operation}`;
    let share = shares.get(key);
    if (share === undefined) {
      share = { service, operation, selfUs: 0, share: 0, spans: 0, longest: span, longestUs: 0 };
      shares.set(key, share);
    }
    const ownUs = sections.reduce((sum, { fromUs, toUs }) => sum + toUs - fromUs, 0);
    share.selfUs += ownUs;
    share.spans += 1;
    if (ownUs > share.longestUs) {
      share.longest = span;
      share.longestUs = ownUs;
    }
  }
  return [...shares.values()]
    .map(({ longestUs: _, ...share }) => ({
      ...share,
      share: durationUs === 0 ? 0 : share.selfUs / durationUs,
    }))
    .sort((a, b) => b.selfUs - a.selfUs);
}

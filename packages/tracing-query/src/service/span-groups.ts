import type { ShownSpan } from "./shown-spans.ts";

/** A place in trees of spans: the same service and operation below the same place. */
export interface GroupPath {
  /** Id of the place above; undefined for roots. */
  readonly parent: number | undefined;
  readonly service: string;
  readonly operation: string;
}

/** The places of several traces, each with a number. A place has a higher one than that above it. */
export class GroupPaths {
  readonly paths: GroupPath[] = [];
  readonly #ids = new Map<string, number>();

  idOf(parent: number | undefined, { service, operation }: ShownSpan): number {
    const key = JSON.stringify([parent ?? -1, service, operation]);
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.paths.length;
      this.#ids.set(key, id);
      this.paths.push({ parent, service, operation });
    }
    return id;
  }
}

/** The spans of one trace at one place. */
export interface SpanGroup {
  spanIds: string[];
  errors: number;
  /** Of all of them together. */
  durationNano: bigint;
  /** What of that no child ran in. */
  selfNano: bigint;
}

/**
 * The spans of a trace by place, in linear time but for the sorting of children. A span whose parent is not there is a
 * root; so is, of spans that are each other's parents, the first.
 */
export function spanGroups(spans: readonly ShownSpan[], paths: GroupPaths): Map<number, SpanGroup> {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const isRoot = ({ spanId, parentSpanId }: ShownSpan) => !ids.has(parentSpanId) || parentSpanId === spanId;
  const childrenOf = Map.groupBy(
    spans.filter((span) => !isRoot(span)),
    ({ parentSpanId }) => parentSpanId,
  );
  const groups = new Map<number, SpanGroup>();
  const seen = new Set<ShownSpan>();
  const walk = (root: ShownSpan) => {
    seen.add(root);
    const open: [span: ShownSpan, path: number][] = [[root, paths.idOf(undefined, root)]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [span, path] = next;
      const children = childrenOf.get(span.spanId) ?? [];
      addSpan(groups, path, span, children);
      for (const child of children) {
        if (!seen.has(child)) {
          seen.add(child);
          open.push([child, paths.idOf(path, child)]);
        }
      }
    }
  };
  for (const span of spans) {
    if (isRoot(span)) walk(span);
  }
  for (const span of spans) {
    if (!seen.has(span)) walk(span);
  }
  return groups;
}

function addSpan(
  groups: Map<number, SpanGroup>,
  path: number,
  span: ShownSpan,
  children: readonly ShownSpan[],
): void {
  const group = groups.get(path) ?? { spanIds: [], errors: 0, durationNano: 0n, selfNano: 0n };
  groups.set(path, group);
  group.spanIds.push(span.spanId);
  group.errors += span.hasError ? 1 : 0;
  const durationNano = span.durationNano > 0n ? span.durationNano : 0n;
  group.durationNano += durationNano;
  group.selfNano += durationNano - coveredNano(span, children);
}

/** For how long of its time a span has children that run. */
function coveredNano({ startTimeUnixNano, durationNano }: ShownSpan, children: readonly ShownSpan[]): bigint {
  const end = startTimeUnixNano + durationNano;
  let covered = 0n;
  let until = startTimeUnixNano;
  const inOrder = [...children].sort((one, other) =>
    one.startTimeUnixNano < other.startTimeUnixNano
      ? -1
      : one.startTimeUnixNano > other.startTimeUnixNano
        ? 1
        : 0,
  );
  for (const child of inOrder) {
    let to = child.startTimeUnixNano + child.durationNano;
    if (to > end) to = end;
    if (child.startTimeUnixNano > until) until = child.startTimeUnixNano;
    if (to > until) {
      covered += to - until;
      until = to;
    }
  }
  return covered;
}

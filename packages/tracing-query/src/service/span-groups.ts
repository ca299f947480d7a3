import { nextTurn } from "storage/next-turn";
import type { ShownSpan } from "./shown-spans.ts";

/** A group of spans. Spans with the same service and operation, whose parents are in one group, share a group. */
export interface GroupPath {
  /** Id of the group above; undefined for roots. */
  readonly parent: number | undefined;
  readonly service: string;
  readonly operation: string;
}

/**
 * Numbers the groups of several traces. A group has a higher number than the group above it. Traces that share
 * this object have comparable numbers.
 */
export class GroupPaths {
  readonly paths: GroupPath[] = [];
  /** Group numbers by parent group, then by service and operation. The first map holds the roots. */
  readonly #below: Map<string, number>[] = [new Map()];

  /**
   * Number of a group; a new group gets the next number. @param parent number of the group above; undefined for
   * a root
   */
  idOf(parent: number | undefined, { service, operation }: ShownSpan): number {
    const ids = this.#below[parent === undefined ? 0 : parent + 1] as Map<string, number>;
    // The length makes keys unique: different pairs of names can have the same joined text.
    const key = `${service.length} ${service}${operation}`;
    let id = ids.get(key);
    if (id === undefined) {
      id = this.paths.length;
      ids.set(key, id);
      this.paths.push({ parent, service, operation });
      this.#below.push(new Map());
    }
    return id;
  }
}

/** The spans of one trace in one group. Times are in nanoseconds. */
export interface SpanGroup {
  /** Ids of the spans, in the order in which the tree is walked. */
  spanIds: string[];
  /** Number of failed spans. */
  errors: number;
  /** Sum of the spans' durations. */
  durationNano: number;
  /** Self time: the duration without the time in which a child ran. */
  selfNano: number;
}

// Marks a span without a parent, a child or a group.
const none = -1;

/** Number of spans to read before other requests get a turn; some milliseconds of work. */
const spansPerTurn = 4_000;

/**
 * Groups the spans of a trace, in linear time except for sorting children.
 *
 * ```
 * shop GET /                group 0: shop GET /
 *   db SELECT               group 1: db SELECT below 0, two spans
 *   db SELECT
 *   cart GET /cart          group 2: cart GET /cart below 0
 * ```
 *
 * A span whose parent is missing is a root. In a cycle of parents the first span is the root. When spans share
 * an id, the first span gets the children.
 */
export async function spanGroups(
  spans: readonly ShownSpan[],
  paths: GroupPaths,
): Promise<Map<number, SpanGroup>> {
  const tree = await SpanTree.of(spans);
  const groups = new Map<number, SpanGroup>();
  const placeOf = new Int32Array(spans.length).fill(none);
  let looked = 0;
  // A stack instead of recursion, because a trace may be as deep as it has spans.
  const walk = async (root: number) => {
    const open = [root];
    placeOf[root] = paths.idOf(undefined, spans[root] as ShownSpan);
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      const place = placeOf[index] as number;
      const children = tree.childrenOf(index);
      addSpan(groups, place, spans[index] as ShownSpan, tree.selfNano(index, children));
      for (const child of children) {
        if (placeOf[child] === none) {
          placeOf[child] = paths.idOf(place, spans[child] as ShownSpan);
          open.push(child);
        }
      }
      if (++looked % spansPerTurn === 0) {
        await nextTurn();
      }
    }
  };
  for (let index = 0; index < spans.length; index++) {
    if (tree.isRoot(index)) {
      await walk(index);
    }
  }
  // Spans of a cycle have parents, but no root is above them.
  for (let index = 0; index < spans.length; index++) {
    if (placeOf[index] === none) {
      await walk(index);
    }
  }
  return groups;
}

function addSpan(groups: Map<number, SpanGroup>, place: number, span: ShownSpan, selfNano: number): void {
  let group = groups.get(place);
  if (group === undefined) {
    group = { spanIds: [], errors: 0, durationNano: 0, selfNano: 0 };
    groups.set(place, group);
  }
  group.spanIds.push(span.spanId);
  group.errors += span.hasError ? 1 : 0;
  group.durationNano += Math.max(0, Number(span.durationNano));
  group.selfNano += selfNano;
}

/** Parents, children and times, by index of the span: five numbers for each span instead of an object. */
class SpanTree {
  readonly #parents: Int32Array;
  /** The last child of each span. `#siblings` holds the previous sibling of each child. */
  readonly #lastChildren: Int32Array;
  readonly #siblings: Int32Array;
  /** Start times in nanoseconds after the first span's start; exact up to a hundred days. */
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;

  private constructor(spans: number) {
    this.#parents = new Int32Array(spans);
    this.#lastChildren = new Int32Array(spans).fill(none);
    this.#siblings = new Int32Array(spans).fill(none);
    this.#starts = new Float64Array(spans);
    this.#ends = new Float64Array(spans);
  }

  /** Builds the tree; other requests run in between. @param spans in any order */
  static async of(spans: readonly ShownSpan[]): Promise<SpanTree> {
    const tree = new SpanTree(spans.length);
    const indexOf = new Map<string, number>();
    for (let index = spans.length - 1; index >= 0; index--) {
      indexOf.set((spans[index] as ShownSpan).spanId, index);
      if (index % spansPerTurn === 0) {
        await nextTurn();
      }
    }
    const origin = spans[0]?.startTimeUnixNano ?? 0n;
    for (const [index, span] of spans.entries()) {
      tree.#add(index, span, indexOf, origin);
      if (index % spansPerTurn === spansPerTurn - 1) {
        await nextTurn();
      }
    }
    return tree;
  }

  /** Adds one span. A span that names itself as parent is a root. */
  #add(
    index: number,
    { parentSpanId, spanId, startTimeUnixNano, durationNano }: ShownSpan,
    indexOf: ReadonlyMap<string, number>,
    origin: bigint,
  ): void {
    const parent = parentSpanId === spanId ? none : (indexOf.get(parentSpanId) ?? none);
    this.#parents[index] = parent;
    if (parent !== none) {
      this.#siblings[index] = this.#lastChildren[parent] ?? none;
      this.#lastChildren[parent] = index;
    }
    const start = Number(startTimeUnixNano - origin);
    this.#starts[index] = start;
    this.#ends[index] = start + Math.max(0, Number(durationNano));
  }

  /** True when the span has no parent in the trace. */
  isRoot(index: number): boolean {
    return this.#parents[index] === none;
  }

  /** Indexes of the children, ordered by start. */
  childrenOf(index: number): number[] {
    const children: number[] = [];
    for (
      let child = this.#lastChildren[index] ?? none;
      child !== none;
      child = this.#siblings[child] ?? none
    ) {
      children.push(child);
    }
    const starts = this.#starts;
    return children.length < 2
      ? children
      : children.reverse().sort((one, other) => (starts[one] ?? 0) - (starts[other] ?? 0));
  }

  /** The time of a span in which none of its children runs. @param children ordered by start */
  selfNano(index: number, children: readonly number[]): number {
    const end = this.#ends[index] ?? 0;
    let until = this.#starts[index] ?? 0;
    let self = end - until;
    for (const child of children) {
      const from = Math.max(until, this.#starts[child] ?? 0);
      const to = Math.min(end, this.#ends[child] ?? 0);
      if (to > from) {
        self -= to - from;
        until = to;
      }
    }
    return self;
  }
}

import { nextTurn } from "storage/api";
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
  /** By the place above, then service and operation; of the roots, the first. */
  readonly #below: Map<string, number>[] = [new Map()];

  idOf(parent: number | undefined, { service, operation }: ShownSpan): number {
    const ids = this.#below[parent === undefined ? 0 : parent + 1] as Map<string, number>;
    // The length tells names apart that together are the same.
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

/** The spans of one trace at one place. Times are in nanoseconds. */
export interface SpanGroup {
  spanIds: string[];
  errors: number;
  /** Of all of them together. */
  durationNano: number;
  /** What of that no child ran in. */
  selfNano: number;
}

const none = -1;

/** Spans that are looked at before others get a turn: some milliseconds of work. */
const spansPerTurn = 4_000;

/**
 * The spans of a trace by place, in linear time but for the sorting of children. A span whose parent is not there is a
 * root; so is, of spans that are each other's parents, the first. Of spans that share an id, the first has the children.
 */
export async function spanGroups(
  spans: readonly ShownSpan[],
  paths: GroupPaths,
): Promise<Map<number, SpanGroup>> {
  const tree = await SpanTree.of(spans);
  const groups = new Map<number, SpanGroup>();
  const placeOf = new Int32Array(spans.length).fill(none);
  let looked = 0;
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
    if (tree.isRoot(index)) await walk(index);
  }
  for (let index = 0; index < spans.length; index++) {
    if (placeOf[index] === none) await walk(index);
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

/** Who is below whom, and when they run, by index of the span. */
class SpanTree {
  readonly #parents: Int32Array;
  /** The last child of each, and of each child the one before it. */
  readonly #lastChildren: Int32Array;
  readonly #siblings: Int32Array;
  /** Nanoseconds since the first span starts: exact for a hundred days. */
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;

  private constructor(spans: number) {
    this.#parents = new Int32Array(spans);
    this.#lastChildren = new Int32Array(spans).fill(none);
    this.#siblings = new Int32Array(spans).fill(none);
    this.#starts = new Float64Array(spans);
    this.#ends = new Float64Array(spans);
  }

  static async of(spans: readonly ShownSpan[]): Promise<SpanTree> {
    const tree = new SpanTree(spans.length);
    const indexOf = new Map<string, number>();
    for (let index = spans.length - 1; index >= 0; index--) {
      indexOf.set((spans[index] as ShownSpan).spanId, index);
      if (index % spansPerTurn === 0) await nextTurn();
    }
    const origin = spans[0]?.startTimeUnixNano ?? 0n;
    for (const [index, span] of spans.entries()) {
      tree.#add(index, span, indexOf, origin);
      if (index % spansPerTurn === spansPerTurn - 1) await nextTurn();
    }
    return tree;
  }

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

  isRoot(index: number): boolean {
    return this.#parents[index] === none;
  }

  /** By their start. */
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

  /** For how long none of its children runs while a span does. @param children by their start */
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

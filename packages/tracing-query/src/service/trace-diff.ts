import type { ShownSpan } from "./shown-spans.ts";
import { type GroupPaths, type SpanGroup, spanGroups } from "./span-groups.ts";

/** One side of a group; for several traces the median. */
export interface DiffSide {
  /** Number of spans in the group. */
  readonly count: number;
  /** Number of spans in the group with an error. */
  readonly errors: number;
  /** Sum of the spans' durations in nanoseconds. */
  readonly durationNano: number;
  /** Sum of the spans' durations without their children, in nanoseconds. */
  readonly selfNano: number;
  /** Ids of the spans; only for a single trace. */
  readonly spanIds?: readonly string[];
  /** Number of traces with spans in this group; only for several traces. */
  readonly traces?: number;
}

/** A group of spans that at least one side has. */
export interface DiffNode {
  /** Index of the parent group; undefined for roots. */
  readonly parent: number | undefined;
  readonly service: string;
  readonly operation: string;
  /** Undefined when this side has no spans in the group. */
  readonly a: DiffSide | undefined;
  readonly b: DiffSide | undefined;
}

/** One side as a whole; for several traces the median. */
export interface DiffTotals {
  /** Number of spans in the trace. */
  readonly spans: number;
  /** From the first start to the last end, in nanoseconds. */
  readonly durationNano: number;
}

/** Two traces, or two sets of traces, side by side. */
export interface TraceDiff {
  readonly a: DiffTotals;
  readonly b: DiffTotals;
  /** A group comes before the groups below it. */
  readonly nodes: readonly DiffNode[];
  /** Indexes of groups whose self time differs, largest difference first. */
  readonly ranked: readonly number[];
}

/** One or more traces, with their spans summed by group. */
export class DiffTraces {
  readonly #paths: GroupPaths;
  readonly #groups: ReadonlyMap<number, SpanGroup>[] = [];
  readonly #totals: DiffTotals[] = [];

  constructor(paths: GroupPaths) {
    this.#paths = paths;
  }

  /** Adds the sums of a trace. The spans are not kept. */
  async add(spans: readonly ShownSpan[]): Promise<void> {
    this.#groups.push(await spanGroups(spans, this.#paths));
    this.#totals.push({ spans: spans.length, durationNano: lengthNano(spans) });
  }

  get traces(): number {
    return this.#groups.length;
  }

  get totals(): DiffTotals {
    return {
      spans: medianOf(this.#totals.map(({ spans }) => spans)),
      durationNano: medianOf(this.#totals.map(({ durationNano }) => durationNano)),
    };
  }

  /** Sums by group. In the median a trace without spans in the group counts as 0. A group with median 0 is left out. */
  sides(): Map<number, DiffSide> {
    const [only, ...more] = this.#groups;
    if (only !== undefined && more.length === 0) {
      return new Map(
        Array.from(only, ([path, group]) => [path, { ...sideOf(group), spanIds: group.spanIds }]),
      );
    }
    const all = new Map<number, DiffSide[]>();
    for (const groups of this.#groups) {
      for (const [path, group] of groups) {
        const sides = all.get(path) ?? [];
        all.set(path, sides);
        sides.push(sideOf(group));
      }
    }
    const medians = Array.from(all, ([path, sides]) => [path, this.#median(sides)] as const);
    return new Map(medians.filter(([, { count }]) => count > 0));
  }

  #median(sides: readonly DiffSide[]): DiffSide {
    const of = (key: "count" | "durationNano" | "errors" | "selfNano") => {
      const values = sides.map((side) => side[key]);
      while (values.length < this.traces) {
        values.push(0);
      }
      return medianOf(values);
    };
    return {
      count: of("count"),
      errors: of("errors"),
      durationNano: of("durationNano"),
      selfNano: of("selfNano"),
      traces: sides.length,
    };
  }
}

/** Compares two sides. @param a,b sides that were created with the same `paths` */
export function diffTraces(paths: GroupPaths, a: DiffTraces, b: DiffTraces): TraceDiff {
  const [ofA, ofB] = [a.sides(), b.sides()];
  const indexOf = new Map<number, number>();
  const nodes: DiffNode[] = [];
  // A group has a lower number than its child groups, and has spans in at least as many traces.
  for (const [path, { parent, service, operation }] of paths.paths.entries()) {
    const [sideA, sideB] = [ofA.get(path), ofB.get(path)];
    if (sideA === undefined && sideB === undefined) {
      continue;
    }
    indexOf.set(path, nodes.length);
    const above = parent === undefined ? undefined : indexOf.get(parent);
    nodes.push({ parent: above, service, operation, a: sideA, b: sideB });
  }
  const difference = ({ a: one, b: other }: DiffNode) =>
    Math.abs((one?.selfNano ?? 0) - (other?.selfNano ?? 0));
  const ranked = nodes
    .map((node, index) => ({ index, by: difference(node) }))
    .filter(({ by }) => by > 0)
    .sort((one, other) => other.by - one.by || one.index - other.index)
    .map(({ index }) => index);
  return { a: a.totals, b: b.totals, nodes, ranked };
}

function sideOf({ spanIds, errors, durationNano, selfNano }: SpanGroup): DiffSide {
  return { count: spanIds.length, errors, durationNano, selfNano };
}

/** The lower of two middle values, so that the median is a value that occurs. */
function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)] ?? 0;
}

function lengthNano(spans: readonly ShownSpan[]): number {
  let [start, end] = [spans[0]?.startTimeUnixNano ?? 0n, 0n];
  for (const { startTimeUnixNano, durationNano } of spans) {
    if (startTimeUnixNano < start) {
      start = startTimeUnixNano;
    }
    if (startTimeUnixNano + durationNano > end) {
      end = startTimeUnixNano + durationNano;
    }
  }
  return end > start ? Number(end - start) : 0;
}

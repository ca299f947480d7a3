import { distinctFacts } from "./distinct-facts.ts";
import type { QueryValue } from "./query-value.ts";

/** The fields of a span that TraceQL uses. */
export interface SpanFacts {
  /** Id of the span, 16 hex digits. */
  readonly spanId: string;
  /** Id of the parent, 16 hex digits; "" without a parent. */
  readonly parentSpanId: string;
  /** True for a span that names its parent only by a link; see `hasParentLink`. Default: false. */
  readonly hasParentLink?: boolean;
  /** `service.name` of the resource. */
  readonly service: string;
  readonly name: string;
  readonly kind: string;
  readonly status: string;
  readonly startUnixNano: bigint;
  readonly durationNano: bigint;
  /** True when the span starts in the query's range. Other spans only complete the trace. */
  readonly isInRange: boolean;
  /** Number of original spans that the span represents; 0 when unknown. Absent when every span counts once. */
  readonly adjustedCount?: number | undefined;
  /** Values of the query's fields, by index. */
  readonly values: readonly QueryValue[];
}

interface NestedSet {
  left: number;
  right: number;
  parent: number;
}

/** A span within its trace. */
export class SpanView {
  readonly facts: SpanFacts;
  readonly trace: TraceView;
  /** Index in the trace; spans are ordered by start, then id. */
  readonly index: number;

  constructor(facts: SpanFacts, trace: TraceView, index: number) {
    this.facts = facts;
    this.trace = trace;
    this.index = index;
  }

  /** Id of the parent. "" also for a span that names itself as its parent. */
  get parentId(): string {
    const { parentSpanId, spanId } = this.facts;
    return parentSpanId === spanId ? "" : parentSpanId;
  }

  /** Parents of the span. There may be several, because client and server of a call may share an id. */
  get parents(): readonly SpanView[] {
    return this.parentId === "" ? [] : this.trace.withId(this.parentId);
  }

  get children(): readonly SpanView[] {
    return this.trace.childrenOf(this.facts.spanId).filter((child) => child !== this);
  }
}

/** A trace for TraceQL: parents and children of its spans, and values that concern the whole trace. */
export class TraceView {
  readonly traceId: string;
  readonly spans: readonly SpanView[];
  readonly startUnixNano: bigint;
  readonly durationNano: bigint;
  #byId: Map<string, SpanView[]> | undefined;
  #byParent: Map<string, SpanView[]> | undefined;
  #nestedSets: readonly NestedSet[] | undefined;

  /** @param sent fields of all spans, at least one, in any order; copies count once */
  constructor(traceId: string, sent: readonly SpanFacts[]) {
    const facts = distinctFacts(sent);
    this.traceId = traceId;
    this.spans = [...facts]
      .sort((one, other) => byStart(one, other))
      .map((span, index) => new SpanView(span, this, index));
    let start = facts[0]?.startUnixNano ?? 0n;
    let end = start;
    for (const { startUnixNano, durationNano } of facts) {
      if (startUnixNano < start) {
        start = startUnixNano;
      }
      const spanEnd = startUnixNano + durationNano;
      if (spanEnd > end) {
        end = spanEnd;
      }
    }
    this.startUnixNano = start;
    this.durationNano = end - start;
  }

  /** The first span that names no parent, neither by id nor by a link. */
  get root(): SpanView | undefined {
    return this.spans.find(({ parentId, facts }) => parentId === "" && facts.hasParentLink !== true);
  }

  withId(spanId: string): readonly SpanView[] {
    this.#byId ??= Map.groupBy(this.spans, ({ facts }) => facts.spanId);
    return this.#byId.get(spanId) ?? [];
  }

  childrenOf(spanId: string): readonly SpanView[] {
    this.#byParent ??= Map.groupBy(this.spans, ({ parentId }) => parentId);
    return this.#byParent.get(spanId) ?? [];
  }

  /**
   * Numbers of a depth-first walk from each span without a parent id through its descendants, starting with 1. `parent`
   * is -1 for the first span of a walk. All numbers are 0 for a span outside these walks.
   */
  nestedSetOf({ index }: SpanView): NestedSet {
    this.#nestedSets ??= this.#walk();
    return this.#nestedSets[index] ?? { left: 0, right: 0, parent: 0 };
  }

  #walk(): NestedSet[] {
    const sets = this.spans.map(() => ({ left: 0, right: 0, parent: 0 }));
    let next = 1;
    for (const root of this.spans) {
      if (root.parentId !== "") {
        continue;
      }
      const open: { readonly span: SpanView; readonly set: NestedSet; readonly rest: SpanView[] }[] = [];
      const enter = (span: SpanView, parent: number) => {
        const set = sets[span.index];
        if (set === undefined || set.left !== 0) {
          return;
        }
        set.left = next++;
        set.parent = parent;
        open.push({ span, set, rest: [...span.children].reverse() });
      };
      enter(root, -1);
      for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
        const child = top.rest.pop();
        if (child !== undefined) {
          enter(child, top.set.left);
        } else {
          top.set.right = next++;
          open.pop();
        }
      }
    }
    return sets;
  }
}

function byStart(one: SpanFacts, other: SpanFacts): number {
  if (one.startUnixNano !== other.startUnixNano) {
    return one.startUnixNano < other.startUnixNano ? -1 : 1;
  }
  if (one.spanId !== other.spanId) {
    return one.spanId < other.spanId ? -1 : 1;
  }
  // The client span and the server span of a call may have the same start and id, so kind and name decide.
  return one.kind < other.kind ? -1 : one.kind > other.kind ? 1 : one.name < other.name ? -1 : 1;
}

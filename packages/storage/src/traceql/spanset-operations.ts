import type { SpansetOperator } from "traceql";
import type { SpanView } from "./trace-view.ts";

/**
 * The spans that result from an operation on two sets of spans of one trace, ordered by start.
 * @param left,right spans ordered by start, without repeats
 */
export function combineSpans(
  operator: SpansetOperator,
  left: readonly SpanView[],
  right: readonly SpanView[],
): readonly SpanView[] {
  if (operator === "&&") {
    return left.length > 0 && right.length > 0 ? union(left, right) : [];
  }
  if (operator === "||") {
    return union(left, right);
  }
  const relation = operator.slice(-2).replace(/^[!&]/, "") as keyof typeof related;
  const [follow, back] = related[relation];
  const found = follow(left);
  if (operator.startsWith("!")) {
    return right.filter((span) => !found.has(span));
  }
  const ofRight = right.filter((span) => found.has(span));
  if (!operator.startsWith("&")) {
    return ofRight;
  }
  const foundBack = back(right);
  return union(
    left.filter((span) => foundBack.has(span)),
    ofRight,
  );
}

type Follow = (from: readonly SpanView[]) => ReadonlySet<SpanView>;

/**
 * Two functions for each relation: the first finds the spans related to spans of the left side, the second is its
 * inverse.
 */
const related: Readonly<Record<">" | ">>" | "<" | "<<" | "~", readonly [Follow, Follow]>> = {
  ">": [childrenOf, parentsOf],
  "<": [parentsOf, childrenOf],
  ">>": [descendantsOf, ancestorsOf],
  "<<": [ancestorsOf, descendantsOf],
  "~": [siblingsOf, siblingsOf],
};

function childrenOf(from: readonly SpanView[]): Set<SpanView> {
  return new Set(from.flatMap(({ children }) => children));
}

function parentsOf(from: readonly SpanView[]): Set<SpanView> {
  return new Set(from.flatMap(({ parents }) => parents));
}

function descendantsOf(from: readonly SpanView[]): Set<SpanView> {
  return reached(from, ({ children }) => children);
}

function ancestorsOf(from: readonly SpanView[]): Set<SpanView> {
  return reached(from, ({ parents }) => parents);
}

function reached(from: readonly SpanView[], next: (span: SpanView) => readonly SpanView[]): Set<SpanView> {
  const found = new Set<SpanView>();
  const open = [...from];
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    for (const each of next(span)) {
      if (found.has(each)) {
        continue;
      }
      found.add(each);
      open.push(each);
    }
  }
  return found;
}

/** Spans with the same parent, even if the parent is not stored. No span is its own sibling. */
function siblingsOf(from: readonly SpanView[]): Set<SpanView> {
  const found = new Set<SpanView>();
  for (const [parentId, sharing] of Map.groupBy(from, (span) => span.parentId)) {
    const [first, ...others] = sharing;
    if (parentId === "" || first === undefined) {
      continue;
    }
    for (const span of first.trace.childrenOf(parentId)) {
      if (span !== first || others.length > 0) {
        found.add(span);
      }
    }
  }
  return found;
}

function union(left: readonly SpanView[], right: readonly SpanView[]): readonly SpanView[] {
  if (left.length === 0) {
    return right;
  }
  if (right.length === 0) {
    return left;
  }
  return [...new Set([...left, ...right])].sort((one, other) => one.index - other.index);
}

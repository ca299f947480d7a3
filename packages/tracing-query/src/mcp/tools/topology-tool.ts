import { charactersOf } from "assistant-tools/fit-budget";
import { z } from "zod";
import { QueryError } from "../../query-error.ts";
import { type ShownSpan, shownSpans } from "../../service/shown-spans.ts";
import { timeText } from "../time-argument.ts";
import { defineTool, type Tool } from "../tool.ts";
import { traceArguments, traceOf } from "./trace-argument.ts";

/** Minimum number of equal neighbours without children that are folded into one line. */
const leastFolded = 4;

/** A line of the outline. */
interface Line {
  /**
   * Ids of spans from the root to this span, separated by slashes: `00000000000000a1/00000000000000a2`. An
   * assistant can see a span's place in the tree from any single line.
   */
  readonly path: string;
  readonly service: string;
  readonly span_name: string;
  readonly start_time: string;
  readonly duration_us: number;
  readonly status: "Error" | "Unset";
  /** Number of children that `depth` leaves out. */
  readonly truncated_children?: number;
  /** Number of equal neighbours that share this line; `duration_us` is then their sum. Absent for a single span. */
  readonly repeated?: number;
}

/** The spans of a trace as a tree. */
interface Family {
  /** Spans without a parent in the trace, earliest first. */
  readonly roots: readonly ShownSpan[];
  /** Children by the parent's id, earliest first. */
  readonly childrenOf: ReadonlyMap<string, readonly ShownSpan[]>;
  /** Spans by id. If spans share an id, the last one wins. */
  readonly byId: ReadonlyMap<string, ShownSpan>;
}

/** Arranges spans as a tree. A span that names itself as parent is a root. */
function familyOf(spans: readonly ShownSpan[]): Family {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const childrenOf = new Map<string, ShownSpan[]>();
  const roots: ShownSpan[] = [];
  const earliestFirst = [...spans].sort((a, b) => Number(a.startTimeUnixNano - b.startTimeUnixNano));
  for (const span of earliestFirst) {
    const { parentSpanId } = span;
    if (parentSpanId === "" || !byId.has(parentSpanId) || parentSpanId === span.spanId) {
      roots.push(span);
      continue;
    }
    const siblings = childrenOf.get(parentSpanId);
    if (siblings === undefined) {
      childrenOf.set(parentSpanId, [span]);
    } else {
      siblings.push(span);
    }
  }
  return { roots, childrenOf, byId };
}

/** True when two spans can share a line: same service and name, and both failed or both did not. */
function isLike(one: ShownSpan, other: ShownSpan): boolean {
  return (
    one.service === other.service && one.operation === other.operation && one.hasError === other.hasError
  );
}

/** A span, or a run of equal spans, that is not in the outline yet. */
interface Step {
  readonly span: ShownSpan;
  readonly path: string;
  readonly depth: number;
  /** Equal neighbours after `span` that share its line. */
  readonly like: readonly ShownSpan[];
}

/** @param hiddenChildren number of children that `depth` leaves out */
function lineOfStep({ span, path, like }: Step, hiddenChildren: number): Line {
  const durationNano = like.reduce((nanos, one) => nanos + one.durationNano, span.durationNano);
  return {
    path,
    service: span.service,
    span_name: span.operation,
    start_time: timeText(span.startTimeUnixNano),
    duration_us: Number(durationNano) / 1_000,
    status: span.hasError ? "Error" : "Unset",
    ...(hiddenChildren === 0 ? {} : { truncated_children: hiddenChildren }),
    ...(like.length === 0 ? {} : { repeated: like.length + 1 }),
  };
}

/** Converts siblings to steps. A run of equal leaves becomes one step. */
function stepsOf(
  siblings: readonly ShownSpan[],
  { childrenOf }: Family,
  above: Pick<Step, "path" | "depth">,
): Step[] {
  const steps: Step[] = [];
  for (let index = 0; index < siblings.length; ) {
    const span = siblings[index] as ShownSpan;
    let end = index + 1;
    if (!childrenOf.has(span.spanId)) {
      const isLeafLike = (other: ShownSpan | undefined) =>
        other !== undefined && isLike(span, other) && !childrenOf.has(other.spanId);
      while (isLeafLike(siblings[end])) {
        end++;
      }
    }
    const run = siblings.slice(index, end);
    const folded = run.length < leastFolded ? run.map((one) => [one]) : [run];
    for (const [first, ...like] of folded) {
      const { spanId } = first as ShownSpan;
      const path = above.path === "" ? spanId : `${above.path}/${spanId}`;
      steps.push({ span: first as ShownSpan, path, depth: above.depth + 1, like });
    }
    index = end;
  }
  return steps;
}

/** The whole outline, or its beginning when the budget is too small. */
interface Outline {
  readonly lines: readonly Line[];
  /** Number of spans in the lines; a line can stand for several. */
  readonly shown: number;
}

/**
 * The outline in depth-first order, without recursion: traces can be as deep as they are long.
 * @param most limit of JSON characters, because paths of deep traces are long. Lines beyond the limit are left out
 */
function outline(first: readonly Step[], family: Family, depth: number, most: number): Outline {
  const lines: Line[] = [];
  const waiting = [...first].reverse();
  const seen = new Set<string>();
  let characters = 0;
  let shown = 0;
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    const { span } = step;
    // Parent ids may form a cycle.
    if (seen.has(span.spanId)) {
      continue;
    }
    seen.add(span.spanId);
    const children = step.like.length > 0 ? [] : (family.childrenOf.get(span.spanId) ?? []);
    const isDeepest = depth > 0 && step.depth >= depth;
    const line = lineOfStep(step, isDeepest ? children.length : 0);
    characters += JSON.stringify(line).length + 1;
    if (characters > most) {
      break;
    }
    lines.push(line);
    shown += step.like.length + 1;
    if (!isDeepest) {
      for (const next of stepsOf(children, family, step).reverse()) {
        waiting.push(next);
      }
    }
  }
  return { lines, shown };
}

/** Counts the spans of these steps and of everything below them. */
function countBelow(first: readonly Step[], { childrenOf }: Family): number {
  const waiting = first.flatMap(({ span, like }) => [span, ...like]);
  const seen = new Set<string>();
  for (let span = waiting.pop(); span !== undefined; span = waiting.pop()) {
    if (!seen.has(span.spanId)) {
      seen.add(span.spanId);
      for (const child of childrenOf.get(span.spanId) ?? []) {
        waiting.push(child);
      }
    }
  }
  return seen.size;
}

const rest = "ask with depth, or with under_span_id for a part, or raise budget";

/**
 * `get_trace_topology` {"trace_id": "71a8…"} → the tree of a trace, a line for each span:
 *
 * ```
 * {"trace_id": "71a8…", "span_count": 3, "spans": [
 *   {"path": "…a1", "service": "shop", "span_name": "GET /", "duration_us": 100000, "status": "Unset", …},
 *   {"path": "…a1/…a2", "service": "db", "span_name": "SELECT", "duration_us": 30000, "status": "Unset", …},
 *   {"path": "…a1/…a3", "service": "db", "span_name": "SELECT", "duration_us": 50000, "status": "Error", …}]}
 * ```
 *
 * 200 equal calls of a database are one line with `"repeated": 200` and the sum of their durations.
 */
export const topologyTool: Tool = defineTool({
  name: "get_trace_topology",
  title: "Outline of a trace",
  description:
    "The spans of a trace as a list in depth-first order, without attributes. `path` holds the ids of spans from the root " +
    "down, with slashes. Equal neighbours without children are one line with `repeated`: many of them are an N+1 pattern.",
  weight: "trace",
  input: {
    ...traceArguments,
    depth: z.int().min(0).max(1_000).default(0).describe("Most levels; 0: all."),
    under_span_id: z
      .string()
      .regex(/^[0-9a-fA-F]{1,16}$/)
      .optional()
      .describe("Only this span and what is below it."),
  },
  async answer({ trace_id, depth, under_span_id, budget }, context) {
    const trace = await traceOf(trace_id, context);
    const family = familyOf(await shownSpans(trace, context.adjust));
    let first = stepsOf(family.roots, family, { path: "", depth: 0 });
    if (under_span_id !== undefined) {
      const span = family.byId.get(under_span_id.toLowerCase().padStart(16, "0"));
      if (span === undefined) {
        throw new QueryError("QUERY_BAD_PARAMETER", `under_span_id ${under_span_id} is not in this trace`, {
          parameter: "under_span_id",
        });
      }
      first = [{ span, path: span.spanId, depth: 1, like: [] }];
    }
    // A path starts with the missing parent's id, so that a part without its root keeps its place.
    const placed = first.map((step) => {
      const { parentSpanId } = step.span;
      const isOrphan = under_span_id === undefined && parentSpanId !== "";
      return isOrphan ? { ...step, path: `${parentSpanId}/${step.path}` } : step;
    });
    const { lines, shown } = outline(placed, family, depth, charactersOf(budget));
    const all = under_span_id === undefined ? trace.spans.length : countBelow(first, family);
    const left = all - shown;
    return {
      fields: {
        trace_id: trace.traceId,
        link: context.link(`/trace/${trace.traceId}`),
        span_count: trace.spans.length,
        spans: lines,
        ...(left === 0 ? {} : { left_out: { spans: left }, rest }),
      },
      lists: [],
      rest,
    };
  },
});

import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { readJson } from "./read-json.ts";
import { checkTraceId } from "./trace-id.ts";

/** One side of a node; null where the side has no span at this place. */
const side = z.object({
  /** Spans; of a median, of a usual trace. */
  count: z.number(),
  errors: z.number(),
  /** Sum of their durations in microseconds. */
  duration: z.number(),
  /** Self time: the duration without its children. */
  selfTime: z.number(),
  /** Some of the spans, for links; absent for a median. */
  spanIDs: z.optional(z.array(z.string())),
  /** Traces of a median that have the node. */
  traces: z.optional(z.number()),
});

/** One side as a whole. */
const totals = z.object({
  /** Id of the trace; absent for a median. */
  traceID: z.optional(z.string()),
  /** Number of traces of the side: 1, or the number behind the median. */
  traces: z.number(),
  /** Spans of the trace. */
  spans: z.number(),
  duration: z.number(),
});

/** The answer of `GET /diff`. Nodes come with parents before their children. */
const diffSchema = z.object({
  a: totals,
  b: totals,
  nodes: z.array(
    z.object({
      /** Index of the node above; null at the top. */
      parent: z.nullable(z.number()),
      service: z.string(),
      operation: z.string(),
      a: z.nullable(side),
      b: z.nullable(side),
    }),
  ),
});

/** A trace beside another one, or beside the median of a search, folded by place in the tree. */
export type TraceDiff = z.infer<typeof diffSchema>;
/** Spans of one service and operation below the same ones, on both sides. */
export type DiffNode = TraceDiff["nodes"][number];
/** One side of such a node. */
export type DiffSide = z.infer<typeof side>;

/** The two sides of a comparison. */
export interface DiffQuestion {
  /** Id of the trace that one wonders about. */
  a: string;
  /** Id of the other trace; undefined: the median of a search. */
  b?: string | undefined;
  /** TraceQL of that search; undefined: traces that begin as `a` does. */
  q?: string | undefined;
}

/**
 * Compares two traces, or a trace with a median. Without `a` nothing is asked.
 * @throws ApiError API_BAD_ID before anything is sent, for a text that is no id
 */
export function traceDiffQuery({ a, b, q }: DiffQuestion) {
  return queryOptions({
    queryKey: ["diff", a, b, q],
    queryFn: async ({ signal }): Promise<TraceDiff> => {
      checkTraceId(a);
      if (b !== undefined) {
        checkTraceId(b);
      }
      const parameters = new URLSearchParams({ a });
      if (b !== undefined) {
        parameters.set("b", b);
      } else if (q !== undefined) {
        parameters.set("q", q);
      }
      return readJson(`api/analysis/v1/diff?${parameters}`, diffSchema, signal);
    },
    enabled: a !== "",
    staleTime: Number.POSITIVE_INFINITY,
  });
}

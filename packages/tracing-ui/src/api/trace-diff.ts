import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { readJson } from "./read-json.ts";
import { checkTraceId } from "./trace-id.ts";

/** One side of a node; null when the side has no span at this place. */
const side = z.object({
  /** Number of spans; for a median, the number in a typical trace. */
  count: z.number(),
  errors: z.number(),
  /** Sum of the spans' durations in microseconds. */
  duration: z.number(),
  /** Self time: the duration without its children. */
  selfTime: z.number(),
  /** Ids of some spans, for links; absent for a median. */
  spanIDs: z.optional(z.array(z.string())),
  /** Number of a median's traces that have the node. */
  traces: z.optional(z.number()),
});

/** Totals of one side. */
const totals = z.object({
  /** Id of the trace; absent for a median. */
  traceID: z.optional(z.string()),
  /** Number of traces of the side: 1, or the number behind the median. */
  traces: z.number(),
  /** Number of spans in the trace. */
  spans: z.number(),
  duration: z.number(),
});

/** The answer of `GET /diff`. Parents precede their children in the list of nodes. */
const diffSchema = z.object({
  a: totals,
  b: totals,
  nodes: z.array(
    z.object({
      /** Index of the parent node; null at the top. */
      parent: z.nullable(z.number()),
      service: z.string(),
      operation: z.string(),
      a: z.nullable(side),
      b: z.nullable(side),
    }),
  ),
});

/**
 * The comparison of a trace with another one, or with the median of a search. Spans are grouped by their place in the
 * tree.
 */
export type TraceDiff = z.infer<typeof diffSchema>;
/** Spans of one service and operation at one place in the tree, for both sides. */
export type DiffNode = TraceDiff["nodes"][number];
/** One side of a node. */
export type DiffSide = z.infer<typeof side>;

/** The two sides of a comparison. */
export interface DiffQuestion {
  /** Id of the trace to explain. */
  a: string;
  /** Id of the other trace; undefined for the median of a search. */
  b?: string | undefined;
  /** TraceQL of this search; undefined for traces with the same root operation as `a`. */
  q?: string | undefined;
}

/**
 * Compares two traces, or a trace with a median. Without `a` no request is sent.
 * @throws ApiError API_BAD_ID before the request, for a text that is no id
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

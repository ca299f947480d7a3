import type { Condition } from "./condition-sql.ts";

/** The parent of spans that have none. */
export const noParent = "toFixedString('', 8)";

/**
 * In larger traces descendants are not computed, because each span needs memory for all spans of its trace.
 */
export const maxTraceSpans = 100;

/** SQL for the spans of a query. */
export interface SpanSql {
  /** `FROM … WHERE …` for the spans that start in the query's range. */
  readonly inRange: string;
  /** The same with a condition, each span once; absent where no span is stored more than once. */
  readonly inRangeOnce?: (condition: string) => string;
  /** The same for all spans that define a trace. */
  readonly around: string;
  /** The condition that distinguishes the former from the latter. */
  readonly isInRange: string;
  /** The condition that a span starts in the slice of time from which results are wanted; without it, all are. */
  readonly isInSlice?: string;
  /**
   * The condition that a span starts in a minute of the traces that satisfy another condition; it reads
   * little else.
   */
  readonly isInMinutesOf?: (traces: string) => string;
}

/** The condition that a span has this relation to one of other spans. */
export type Related = (others: Condition, spans: SpanSql) => Condition;

export const inTraceOf: Related = ({ sql, isExact }, spans) => ({
  sql: `trace_id IN (SELECT trace_id ${spans.inRange} AND ${sql})`,
  isExact,
});

/** A span that names itself as its parent is no child. */
export const childOf: Related = ({ sql, isExact }, spans) => ({
  sql: `(parent_span_id != span_id AND (trace_id, parent_span_id) IN (SELECT trace_id, span_id ${spans.inRange} AND ${sql}))`,
  isExact,
});

export const parentOf: Related = ({ sql, isExact }, spans) => ({
  sql: `(trace_id, span_id) IN (SELECT trace_id, parent_span_id ${spans.inRange} AND parent_span_id != span_id AND ${sql})`,
  isExact,
});

/** Not exact, because the other span may be the span itself. */
export const siblingOf: Related = ({ sql }, spans) => ({
  sql: `(trace_id, parent_span_id) IN (SELECT trace_id, parent_span_id ${spans.inRange} AND parent_span_id != ${noParent} AND ${sql})`,
  isExact: false,
});

/** Negates a relation; unknown when the other spans are not exactly known. */
export function not(related: Related): Related {
  return (others, spans) => {
    const { sql, isExact } = related(others, spans);
    return isExact ? { sql: `NOT (${sql})`, isExact } : { sql: "1", isExact };
  };
}

export function inSlice({ isInSlice = "1" }: SpanSql): Condition {
  return { sql: isInSlice, isExact: true };
}

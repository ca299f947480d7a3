import type { Condition } from "./condition-sql.ts";

/** Parent id of spans without a parent. */
export const noParent = "toFixedString('', 8)";

/**
 * Maximum number of spans in a trace for computing descendants in SQL, because each span needs memory for all spans of
 * its trace.
 */
export const maxTraceSpans = 100;

/** SQL for the spans of a query. */
export interface SpanSql {
  /** `FROM … WHERE …` for the spans that start in the query's time range. */
  readonly inRange: string;
  /** `inRange` with an additional condition, without copies. Absent when no span is stored more than once. */
  readonly inRangeOnce?: (condition: string) => string;
  /** `FROM … WHERE …` for all spans that define a trace. */
  readonly around: string;
  /** Condition that selects the spans of `inRange` from the spans of `around`. */
  readonly isInRange: string;
  /**
   * Condition that a span starts in the slice of time whose results are wanted. Absent: the results of the whole range
   * are wanted.
   */
  readonly isInSlice?: string;
  /**
   * Condition that a span starts in a minute with spans of the traces that satisfy another condition. With this
   * condition, ClickHouse reads few unrelated rows.
   */
  readonly isInMinutesOf?: (traces: string) => string;
}

/** Makes the condition that a span has this relation to one of `others`. */
export type Related = (others: Condition, spans: SpanSql) => Condition;

export const inTraceOf: Related = ({ sql, isExact }, spans) => ({
  sql: `trace_id IN (SELECT trace_id ${spans.inRange} AND ${sql})`,
  isExact,
});

/** A span that names itself as its parent is not a child. */
export const childOf: Related = ({ sql, isExact }, spans) => ({
  sql: `(parent_span_id != span_id AND (trace_id, parent_span_id) IN (SELECT trace_id, span_id ${spans.inRange} AND ${sql}))`,
  isExact,
});

export const parentOf: Related = ({ sql, isExact }, spans) => ({
  sql: `(trace_id, span_id) IN (SELECT trace_id, parent_span_id ${spans.inRange} AND parent_span_id != span_id AND ${sql})`,
  isExact,
});

/** The condition is not exact: a span also passes when the found sibling is the span itself. */
export const siblingOf: Related = ({ sql }, spans) => ({
  sql: `(trace_id, parent_span_id) IN (SELECT trace_id, parent_span_id ${spans.inRange} AND parent_span_id != ${noParent} AND ${sql})`,
  isExact: false,
});

/** Negates a relation. The result is unknown when the condition on the other spans is not exact. */
export function not(related: Related): Related {
  return (others, spans) => {
    const { sql, isExact } = related(others, spans);
    return isExact ? { sql: `NOT (${sql})`, isExact } : { sql: "1", isExact };
  };
}

export function inSlice({ isInSlice = "1" }: SpanSql): Condition {
  return { sql: isInSlice, isExact: true };
}

import type { Condition } from "./condition-sql.ts";

/** The parent of spans that have none. */
export const noParent = "toFixedString('', 8)";

/** In larger traces it is not looked who is whose descendant: each of its spans needs as much memory as it has spans. */
export const maxTraceSpans = 100;

/** Where the spans of a query are. */
export interface SpanSql {
  /** `FROM … WHERE …` that gives the spans that start in the range of the query. */
  readonly inRange: string;
  /** The same for spans that count for what a trace is. */
  readonly around: string;
  /** The condition that tells the former from the latter. */
  readonly isInRange: string;
  /** The condition that a span starts in the slice of time from which results are wanted; without it, all are. */
  readonly isInSlice?: string;
  /** The condition that a span starts in a minute of the traces that satisfy another one, which reads little else. */
  readonly isInMinutesOf?: (traces: string) => string;
}

/** The condition that a span stands so to one of some others. */
export type Related = (others: Condition, spans: SpanSql) => Condition;

export const inTraceOf: Related = ({ sql, isExact }, spans) => ({
  sql: `trace_id IN (SELECT trace_id ${spans.inRange} AND ${sql})`,
  isExact,
});

/** A span that claims to be its own parent is the child of none. */
export const childOf: Related = ({ sql, isExact }, spans) => ({
  sql: `(parent_span_id != span_id AND (trace_id, parent_span_id) IN (SELECT trace_id, span_id ${spans.inRange} AND ${sql}))`,
  isExact,
});

export const parentOf: Related = ({ sql, isExact }, spans) => ({
  sql: `(trace_id, span_id) IN (SELECT trace_id, parent_span_id ${spans.inRange} AND parent_span_id != span_id AND ${sql})`,
  isExact,
});

/** Not exact: the other may be the span itself. */
export const siblingOf: Related = ({ sql }, spans) => ({
  sql: `(trace_id, parent_span_id) IN (SELECT trace_id, parent_span_id ${spans.inRange} AND parent_span_id != ${noParent} AND ${sql})`,
  isExact: false,
});

/** Nothing can be said where the others are not known for sure. */
export function not(related: Related): Related {
  return (others, spans) => {
    const { sql, isExact } = related(others, spans);
    return isExact ? { sql: `NOT (${sql})`, isExact } : { sql: "1", isExact };
  };
}

export function inSlice({ isInSlice = "1" }: SpanSql): Condition {
  return { sql: isInSlice, isExact: true };
}

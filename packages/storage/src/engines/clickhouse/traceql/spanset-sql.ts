import type { Pipeline, SpansetExpression, SpansetOperation, Stage } from "traceql";
import { allOf, anyOf, type Condition, conditionSql, everything } from "./condition-sql.ts";

/** Longer ones become coarser: ClickHouse takes some time to understand them. */
const maxSqlLength = 100_000;

const noParent = "toFixedString('', 8)";

/**
 * The condition on rows that a span can be in the result of a pipeline.
 * @param spans `FROM … WHERE …` that gives the spans in the range of the query
 */
export function pipelineSql({ stages }: Pipeline, spans: string): Condition {
  return allOf(stages.map((stage) => stageSql(stage, spans)));
}

function stageSql(stage: Stage, spans: string): Condition {
  switch (stage.type) {
    case "scalar-filter":
      return { sql: "1", isExact: false };
    case "group":
    case "select":
    case "coalesce":
      return everything;
    default:
      return spansetSql(stage, spans);
  }
}

function spansetSql(expression: SpansetExpression, spans: string): Condition {
  switch (expression.type) {
    case "filter":
      return conditionSql(expression.condition);
    case "pipeline":
      return pipelineSql(expression, spans);
    case "spanset-operation": {
      const condition = operationSql(expression, spans);
      return condition.sql.length <= maxSqlLength ? condition : { sql: "1", isExact: false };
    }
  }
}

function operationSql({ operator, left, right }: SpansetOperation, spans: string): Condition {
  const [ofLeft, ofRight] = [spansetSql(left, spans), spansetSql(right, spans)];
  const withLeft = (related: Related) => allOf([ofRight, related(ofLeft, spans)]);
  const withRight = (related: Related) => allOf([ofLeft, related(ofRight, spans)]);
  switch (operator) {
    case "&&":
      return anyOf([withLeft(inTraceOf), withRight(inTraceOf)]);
    case "||":
      return anyOf([ofLeft, ofRight]);
    case ">":
      return withLeft(childOf);
    case "<":
      return withLeft(parentOf);
    case "~":
      return withLeft(siblingOf);
    case ">>":
    case "<<":
      return withLeft(maybe(inTraceOf));
    case "!>":
      return withLeft(not(childOf));
    case "!<":
      return withLeft(not(parentOf));
    case "!~":
    case "!>>":
    case "!<<":
      return { ...ofRight, isExact: false };
    case "&>":
      return anyOf([withLeft(childOf), withRight(parentOf)]);
    case "&<":
      return anyOf([withLeft(parentOf), withRight(childOf)]);
    case "&~":
      return anyOf([withLeft(siblingOf), withRight(siblingOf)]);
    case "&>>":
    case "&<<":
      return anyOf([withLeft(maybe(inTraceOf)), withRight(maybe(inTraceOf))]);
  }
}

/** The condition that a span stands so to one of some others. */
type Related = (others: Condition, spans: string) => Condition;

const inTraceOf: Related = ({ sql, isExact }, spans) => ({
  sql: `trace_id IN (SELECT trace_id ${spans} AND ${sql})`,
  isExact,
});

/** A span that claims to be its own parent is the child of none. */
const childOf: Related = ({ sql, isExact }, spans) => ({
  sql: `(parent_span_id != span_id AND (trace_id, parent_span_id) IN (SELECT trace_id, span_id ${spans} AND ${sql}))`,
  isExact,
});

const parentOf: Related = ({ sql, isExact }, spans) => ({
  sql: `(trace_id, span_id) IN (SELECT trace_id, parent_span_id ${spans} AND parent_span_id != span_id AND ${sql})`,
  isExact,
});

/** Not exact: the other may be the span itself. */
const siblingOf: Related = ({ sql }, spans) => ({
  sql: `(trace_id, parent_span_id) IN (SELECT trace_id, parent_span_id ${spans} AND parent_span_id != ${noParent} AND ${sql})`,
  isExact: false,
});

/** What must be so, but is not enough. */
function maybe(related: Related): Related {
  return (others, spans) => ({ ...related(others, spans), isExact: false });
}

/** Nothing can be said where the others are not known for sure. */
function not(related: Related): Related {
  return (others, spans) => {
    const { sql, isExact } = related(others, spans);
    return isExact ? { sql: `NOT (${sql})`, isExact } : { sql: "1", isExact };
  };
}

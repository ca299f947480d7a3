import type { Pipeline, SpansetExpression, SpansetOperation, Stage } from "traceql";
import { allOf, anyOf, type Condition, conditionSql, everything } from "./condition-sql.ts";

/** Longer ones become coarser: ClickHouse takes some time to understand them. */
const maxSqlLength = 100_000;

const noParent = "toFixedString('', 8)";

/** Where the spans of a query are. */
export interface SpanSql {
  /** `FROM … WHERE …` that gives the spans that start in the range of the query. */
  readonly inRange: string;
  /** The same for spans that count for what a trace is. */
  readonly around: string;
  /** The condition that tells the former from the latter. */
  readonly isInRange: string;
}

/** The condition on rows that a span can be in the result of a pipeline. */
export function pipelineSql({ stages }: Pipeline, spans: SpanSql): Condition {
  return allOf(stages.map((stage) => stageSql(stage, spans)));
}

function stageSql(stage: Stage, spans: SpanSql): Condition {
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

function spansetSql(expression: SpansetExpression, spans: SpanSql): Condition {
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

function operationSql({ operator, left, right }: SpansetOperation, spans: SpanSql): Condition {
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
      return allOf([ofRight, withDescendants(ofLeft, ofRight, spans)]);
    case "<<":
      return allOf([ofRight, withDescendants(ofRight, ofLeft, spans)]);
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
      return allOf([anyOf([ofLeft, ofRight]), withDescendants(ofLeft, ofRight, spans)]);
    case "&<<":
      return allOf([anyOf([ofLeft, ofRight]), withDescendants(ofRight, ofLeft, spans)]);
  }
}

/** The condition that a span stands so to one of some others. */
type Related = (others: Condition, spans: SpanSql) => Condition;

const inTraceOf: Related = ({ sql, isExact }, spans) => ({
  sql: `trace_id IN (SELECT trace_id ${spans.inRange} AND ${sql})`,
  isExact,
});

/** A span that claims to be its own parent is the child of none. */
const childOf: Related = ({ sql, isExact }, spans) => ({
  sql: `(parent_span_id != span_id AND (trace_id, parent_span_id) IN (SELECT trace_id, span_id ${spans.inRange} AND ${sql}))`,
  isExact,
});

const parentOf: Related = ({ sql, isExact }, spans) => ({
  sql: `(trace_id, span_id) IN (SELECT trace_id, parent_span_id ${spans.inRange} AND parent_span_id != span_id AND ${sql})`,
  isExact,
});

/** Not exact: the other may be the span itself. */
const siblingOf: Related = ({ sql }, spans) => ({
  sql: `(trace_id, parent_span_id) IN (SELECT trace_id, parent_span_id ${spans.inRange} AND parent_span_id != ${noParent} AND ${sql})`,
  isExact: false,
});

/** Nothing can be said where the others are not known for sure. */
function not(related: Related): Related {
  return (others, spans) => {
    const { sql, isExact } = related(others, spans);
    return isExact ? { sql: `NOT (${sql})`, isExact } : { sql: "1", isExact };
  };
}

/** In larger traces it is not looked who is whose descendant: each of its spans needs as much memory as it has spans. */
const maxTraceSpans = 100;

/**
 * Traces in which one of some spans descends from one of others. Exact, but for large traces, and those in which spans
 * share an id: they are let through. What is not known for sure of the spans makes it no worse.
 */
function withDescendants(ancestors: Condition, descendants: Condition, spans: SpanSql): Condition {
  const inTraces = [ancestors, descendants]
    .filter(({ sql }) => sql !== "1")
    .map((each) => ` AND ${inTraceOf(each, spans).sql}`);
  const listed = `groupArray(${maxTraceSpans + 1})`;
  const mark = ({ sql }: Condition) => `${listed}(toUInt8(${spans.isInRange} AND ${sql}))`;
  // `parents`: for each span the number of its parent in the list of ids, 0 where it is not there. `seen`: whether the span,
  // or one above it, is marked; it looks one span up, then two more, then four.
  return {
    sql: `trace_id IN (SELECT trace_id FROM (
SELECT *, arrayFold((done, step) -> (
  arrayMap((mark, above) -> mark OR (done.1)[above], done.1, done.2), arrayMap(above -> (done.2)[above], done.2)),
  range(toUInt32(ceil(log2(length(ids) + 1)))), (marks, parents)).1 AS seen
FROM (SELECT *, arrayMap(id -> indexOf(ids, id), parent_ids) AS parents FROM (
  SELECT trace_id, count() AS size, ${listed}(span_id) AS ids,
    ${listed}(if(parent_span_id = span_id, ${noParent}, parent_span_id)) AS parent_ids,
    ${mark(ancestors)} AS marks, ${mark(descendants)} AS sought
  ${spans.around}${inTraces.join("")} GROUP BY trace_id))
) WHERE size > ${maxTraceSpans} OR length(arrayDistinct(ids)) < size
  OR arrayExists((is_sought, parent) -> is_sought AND seen[parent], sought, parents) SETTINGS max_block_size = 4096)`,
    isExact: false,
  };
}

import type { Pipeline, ScalarExpression, ScalarFilter, SpansetExpression, SpansetOperation } from "traceql";
import { staticValue } from "../../../traceql/query-value.ts";
import { floatLiteral, intLiteral } from "../sql-text.ts";
import { allOf, anyOf, type Condition, conditionSql, everything } from "./condition-sql.ts";
import { lengthSql } from "./field-sql.ts";
import { yieldsSingleSpanset } from "./single-spanset.ts";
import {
  childOf,
  inSlice,
  inTraceOf,
  maxTraceSpans,
  noParent,
  not,
  parentOf,
  type Related,
  type SpanSql,
  siblingOf,
} from "./span-relations.ts";
import { structureSql } from "./structure-sql.ts";

/**
 * Maximum number of subqueries in a statement; with more, `TooLarge` is thrown. ClickHouse needs milliseconds to parse
 * each subquery, and each kilobyte, before it reads anything.
 */
const maxSubqueries = 20;
const maxSqlLength = 32_000;
/** Maximum number of subqueries for a search, which needs no exact condition. With more, `TooLarge` is thrown. */
const maxSubqueriesOfSearch = 10;

/**
 * The condition that a span may be in the result of a pipeline. Nested operations read the same spans repeatedly. When
 * the operations exceed the limit of subqueries, they are computed together for each trace, and the condition is never
 * exact.
 */
export function pipelineSql(pipeline: Pipeline, spans: SpanSql): Condition {
  try {
    return stagesSql(pipeline, spans, everything);
  } catch (error) {
    if (error instanceof TooLarge) {
      return structureSql(pipeline, spans);
    }
    throw error;
  }
}

class TooLarge extends Error {}

/** Checks the limit of subqueries. @throws TooLarge */
function notTooLarge(condition: Condition, { isInSlice }: SpanSql): Condition {
  const { sql } = condition;
  const subqueries = sql.split("(SELECT ").length - 1;
  const most = isInSlice === undefined ? maxSubqueries : maxSubqueriesOfSearch;
  if (sql.length > maxSqlLength || subqueries > most) {
    throw new TooLarge();
  }
  return condition;
}

/**
 * @param input condition on the spans with which the pipeline begins
 * @throws TooLarge
 */
function stagesSql({ stages }: Pipeline, spans: SpanSql, input: Condition): Condition {
  let found = input;
  let isOneSet = true;
  for (const stage of stages) {
    switch (stage.type) {
      case "scalar-filter": {
        const own = isOneSet ? scalarFilterSql(stage, found, spans) : undefined;
        found = notTooLarge(allOf([found, own ?? unknown]), spans);
        break;
      }
      case "group":
        isOneSet = false;
        break;
      case "coalesce":
        isOneSet = true;
        break;
      case "select":
        break;
      case "filter":
        found = spansetSql(stage, spans, found);
        break;
      case "pipeline":
        found = isOneSet ? stagesSql(stage, spans, found) : allOf([found, unknown]);
        isOneSet &&= yieldsSingleSpanset(stage);
        break;
      default:
        // Within groups, spans are related only to spans of the same group.
        found = isOneSet ? spansetSql(stage, spans, found) : allOf([found, unknown]);
    }
  }
  return found;
}

const unknown: Condition = { sql: "1", isExact: false };

/** True when a query has an aggregate over a trace's spans, such as their number or a sum. */
export function countsSpans(part: unknown): boolean {
  if (typeof part !== "object" || part === null) {
    return false;
  }
  if ("type" in part && part.type === "scalar-filter") {
    return true;
  }
  return Object.values(part).some(countsSpans);
}

/**
 * SQL for a number that is computed from a set of spans, with ints and durations only. @returns undefined when SQL
 * cannot compute it
 */
function scalarSql(
  expression: ScalarExpression,
): { readonly sql: string; readonly isInt: boolean } | undefined {
  switch (expression.type) {
    case "static": {
      const value = staticValue(expression.value);
      if (typeof value === "bigint") {
        return { sql: intLiteral(value), isInt: true };
      }
      return typeof value === "number" ? { sql: floatLiteral(value), isInt: false } : undefined;
    }
    case "aggregate": {
      const { aggregate, operand } = expression;
      if (operand === undefined) {
        return { sql: "toInt64(count())", isInt: true };
      }
      if (operand.type !== "intrinsic" || operand.name !== "span:duration") {
        return undefined;
      }
      return aggregate === "avg"
        ? { sql: `(sum(${lengthSql}) / count())`, isInt: false }
        : { sql: `${aggregate}(${lengthSql})`, isInt: true };
    }
    case "scalar-operation": {
      const [left, right] = [scalarSql(expression.left), scalarSql(expression.right)];
      if (left?.isInt !== true || right?.isInt !== true || !/^[-+*]$/.test(expression.operator)) {
        return undefined;
      }
      return { sql: `(${left.sql} ${expression.operator} ${right.sql})`, isInt: true };
    }
  }
}

/**
 * Condition on an aggregate of a trace's spans. When the condition on the spans is not exact, only the number of spans
 * can be used, and only as a lower bound.
 * @param found condition on the spans
 * @returns undefined when SQL cannot evaluate the filter
 */
function scalarFilterSql(
  { operator, left, right }: ScalarFilter,
  found: Condition,
  spans: SpanSql,
): Condition | undefined {
  const isMany = left.type === "aggregate" && left.aggregate === "count" && right.type === "static";
  if (!found.isExact && !(isMany && (operator === ">" || operator === ">="))) {
    return undefined;
  }
  const [one, other] = [scalarSql(left), scalarSql(right)];
  if (one === undefined || other === undefined) {
    return undefined;
  }
  const passes =
    one.isInt && other.isInt
      ? `${one.sql} ${operator} ${other.sql}`
      : `toFloat64(${one.sql}) ${operator} toFloat64(${other.sql})`;
  const counted = spans.inRangeOnce?.(found.sql) ?? `${spans.inRange} AND ${found.sql}`;
  const sql = `trace_id IN (SELECT trace_id ${counted} GROUP BY trace_id HAVING ${passes})`;
  return { sql, isExact: found.isExact };
}

function spansetSql(expression: SpansetExpression, spans: SpanSql, input: Condition): Condition {
  switch (expression.type) {
    case "filter":
      return allOf([input, conditionSql(expression.condition, spans)]);
    case "pipeline":
      return stagesSql(expression, spans, input);
    case "spanset-operation":
      if (isOfRows(expression)) {
        return allOf([input, operationSql(expression, spans, everything)]);
      }
      return notTooLarge(operationSql(expression, spans, input), spans);
  }
}

/** True when each span can be tested alone. */
function isOfRows(expression: SpansetExpression): boolean {
  if (expression.type !== "spanset-operation") {
    return expression.type === "filter";
  }
  return expression.operator === "||" && isOfRows(expression.left) && isOfRows(expression.right);
}

function operationSql(
  { operator, left, right }: SpansetOperation,
  spans: SpanSql,
  input: Condition,
): Condition {
  // The other span of a relation may start outside the slice.
  const { isInSlice: _, ...everywhere } = spans;
  const [ofLeft, ofRight] = [spansetSql(left, everywhere, input), spansetSql(right, everywhere, input)];
  // The other side's spans are read only for traces with a result in the slice. Other spans have no relation to a
  // wanted result.
  const hasLeftResults = operator.startsWith("&");
  const beside = besideResults(hasLeftResults ? anyOf([ofLeft, ofRight]) : ofRight, spans);
  const withLeft = (related: Related) => allOf([ofRight, related(allOf([ofLeft, beside]), spans)]);
  const withRight = (related: Related) => allOf([ofLeft, related(allOf([ofRight, beside]), spans)]);
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
      return allOf([ofRight, withDescendants(ofLeft, ofRight, spans, ofRight)]);
    case "<<":
      return allOf([ofRight, withDescendants(ofRight, ofLeft, spans, ofRight)]);
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
      return allOf([
        anyOf([ofLeft, ofRight]),
        withDescendants(ofLeft, ofRight, spans, anyOf([ofLeft, ofRight])),
      ]);
    case "&<<":
      return allOf([
        anyOf([ofLeft, ofRight]),
        withDescendants(ofRight, ofLeft, spans, anyOf([ofLeft, ofRight])),
      ]);
  }
}

/**
 * Condition that a span belongs to a trace with a result in the slice. The condition is always true when the slice is
 * the whole range. It is also always true when the results depend on other spans, because SQL would then compute them
 * several times.
 */
function besideResults(results: Condition, spans: SpanSql): Condition {
  if (spans.isInSlice === undefined || results.sql.includes("SELECT")) {
    return everything;
  }
  const { sql } = inTraceOf(allOf([results, inSlice(spans)]), spans);
  // Extra traces are harmless.
  return { sql, isExact: true };
}

/**
 * Selects traces in which a span of `descendants` descends from a span of `ancestors`. The condition is exact, except
 * that it also accepts large traces and traces with shared span ids. Inexact conditions on the spans only accept more
 * traces.
 * @param results condition on the wanted spans; traces without such a span in the slice are left out
 */
function withDescendants(
  ancestors: Condition,
  descendants: Condition,
  spans: SpanSql,
  results: Condition,
): Condition {
  const inTraces = [ancestors, descendants]
    .filter((each) => each !== results && each.sql !== "1")
    .reduce(
      (inner, each) => inTraceOf(allOf([each, inner]), spans),
      inTraceOf(allOf([results, inSlice(spans)]), spans),
    );
  const inMinutes = spans.isInMinutesOf?.(inTraces.sql) ?? "1";
  const listed = `groupArray(${maxTraceSpans + 1})`;
  const mark = ({ sql }: Condition) => `${listed}(toUInt8(${spans.isInRange} AND ${sql}))`;
  // `parents`: for each span the index of its parent in the list of ids, 0 when the parent is missing. `seen`: 1 when
  // the span or one of its ancestors has the mark. The expression looks one level up, then two levels more, then four.
  return {
    sql: `trace_id IN (SELECT trace_id FROM (
SELECT *, arrayFold((done, step) -> (
  arrayMap((mark, above) -> mark OR (done.1)[above], done.1, done.2), arrayMap(above -> (done.2)[above], done.2)),
  range(toUInt32(ceil(log2(length(ids) + 1)))), (marks, parents)).1 AS seen
FROM (SELECT *, arrayMap(id -> indexOf(ids, id), parent_ids) AS parents FROM (
  SELECT trace_id, count() AS size, ${listed}(span_id) AS ids,
    ${listed}(if(parent_span_id = span_id, ${noParent}, parent_span_id)) AS parent_ids,
    ${mark(ancestors)} AS marks, ${mark(descendants)} AS sought
  ${spans.around} AND ${allOf([inTraces, { sql: inMinutes, isExact: true }]).sql} GROUP BY trace_id))
) WHERE size > ${maxTraceSpans} OR length(arrayDistinct(ids)) < size
  OR arrayExists((is_sought, parent) -> is_sought AND seen[parent], sought, parents) SETTINGS max_block_size = 4096)`,
    isExact: false,
  };
}

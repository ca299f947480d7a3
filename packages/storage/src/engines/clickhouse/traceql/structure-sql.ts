import type { Pipeline, ScalarFilter, SpansetExpression, SpansetOperation } from "traceql";
import { StorageError } from "../../../api/storage-error.ts";
import { staticValue } from "../../../traceql/query-value.ts";
import { allOf, anyOf, type Condition, conditionSql, everything } from "./condition-sql.ts";
import { yieldsSingleSpanset } from "./single-spanset.ts";
import { inSlice, inTraceOf, maxTraceSpans, noParent, type SpanSql } from "./span-relations.ts";
import { type SpanSet, SpanSets } from "./span-sets.ts";

/**
 * Maximum number of necessary conditions on spans that are tested first: a trace without a matching span has no result.
 */
const maxAskedFirst = 4;
/** Length limit of each such condition. */
const maxAskedFirstLength = 1_000;
/**
 * A condition on traces up to this length is written twice: the second copy limits the minutes that ClickHouse reads.
 */
const maxInMinutesLength = 4_000;
/** Length limit of a condition on single spans; a longer condition costs more time than it saves. */
const maxRowLength = 8_000;

/** Length limit of the statement. ClickHouse needs noticeable time to parse longer statements. */
const maxSqlLength = 100_000;

/** Conditions for the spans of one part of a query. */
interface Part {
  readonly set: SpanSet;
  /** Condition on single spans that every span of `set` satisfies. */
  readonly row: Condition;
  /** Conditions on single spans. If the part has any span, the trace has a matching span for each condition. */
  readonly needed: ReadonlySet<string>;
}

/**
 * Condition that a span may be in the result of a pipeline, whose operations may be nested to any depth. Each selection
 * of spans occurs once in the SQL, or twice when traces are searched. So the SQL grows in proportion to the query's
 * text. For larger traces and for traces with shared span ids, the condition accepts each span that satisfies the
 * conditions on single spans.
 * @throws StorageError STORAGE_BAD_QUERY for too many operations, or conditions that are too long
 */
export function structureSql(pipeline: Pipeline, spans: SpanSql): Condition {
  const sets = new SpanSets();
  const { set, row, needed } = partOfPipeline(pipeline, undefined, sets, spans);
  const result = row.sql.length > maxRowLength ? everything : row;
  const askedFirst = [...needed]
    .filter((sql) => sql !== result.sql && sql !== "1" && sql.length <= maxAskedFirstLength)
    .slice(0, maxAskedFirst);
  const inTraces = askedFirst.reduce(
    (inner, sql) => inTraceOf(allOf([{ sql, isExact: true }, inner]), spans),
    inTraceOf(allOf([result, inSlice(spans)]), spans),
  );
  const inMinutes =
    inTraces.sql.length <= maxInMinutesLength ? (spans.isInMinutesOf?.(inTraces.sql) ?? "1") : "1";
  const listed = `groupArray(${maxTraceSpans + 1})`;
  const given = sets.conditions.map((sql) => `${listed}(toUInt8(${spans.isInRange} AND ${sql}))`);
  const sql = `trace_id IN (SELECT trace_id FROM (
SELECT *, arrayMap(id -> indexOf(ids, id), parent_ids) AS parents FROM (
  SELECT trace_id, count() AS size, ${listed}(span_id) AS ids,
    ${listed}(if(parent_span_id = span_id, ${noParent}, parent_span_id)) AS parent_ids,
    ${listed}(toUInt8(${inSlice(spans).sql})) AS in_slice, [${given.join(",\n")}] AS given
  ${spans.around} AND ${allOf([inTraces, { sql: inMinutes, isExact: true }]).sql} GROUP BY trace_id)
) WHERE size > ${maxTraceSpans} OR length(arrayDistinct(ids)) < size
  OR arrayExists((found, wanted) -> found AND wanted, ${sets.arraySql(set)}, in_slice) SETTINGS max_block_size = 1024)`;
  if (sql.length > maxSqlLength) {
    throw new StorageError(
      "STORAGE_BAD_QUERY",
      `relating the query's spans becomes a condition of ${sql.length} characters, over the limit of ${maxSqlLength}`,
    );
  }
  return allOf([result, { sql, isExact: false }]);
}

/** @param input the pipeline's input; all spans by default */
function partOfPipeline(
  { stages }: Pipeline,
  input: SpanSet | undefined,
  sets: SpanSets,
  spans: SpanSql,
): Part {
  let set = input ?? sets.given("1", true);
  let isOneSet = true;
  const rows: Condition[] = [];
  const needed = new Set<string>();
  const hasNoMore = () => {
    set = { ...set, isExact: false };
  };
  for (const stage of stages) {
    switch (stage.type) {
      case "scalar-filter": {
        const most = isOneSet ? exceeded(stage) : undefined;
        if (most === undefined) {
          hasNoMore();
        } else {
          set = sets.moreThan(most, set);
        }
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
      default: {
        // Within groups, spans are related only to spans of the same group.
        if (!isOneSet && stage.type !== "filter") {
          hasNoMore();
          break;
        }
        const part = partOf(stage, set, sets, spans);
        set = part.set;
        rows.push(part.row);
        for (const sql of part.needed) {
          needed.add(sql);
        }
        if (stage.type === "pipeline") {
          isOneSet = yieldsSingleSpanset(stage);
        }
      }
    }
  }
  return { set, row: allOf(rows), needed };
}

function partOf(expression: SpansetExpression, input: SpanSet, sets: SpanSets, spans: SpanSql): Part {
  switch (expression.type) {
    case "pipeline":
      return partOfPipeline(expression, input, sets, spans);
    case "filter": {
      const row = conditionSql(expression.condition, spans);
      const own = sets.given(row.sql, row.isExact);
      const isAll = input.isGiven && input.place === sets.given("1", true).place;
      return { set: isAll ? own : sets.both(input, own), row, needed: new Set([row.sql]) };
    }
    case "spanset-operation":
      return partOfOperation(expression, input, sets, spans);
  }
}

function partOfOperation(
  { operator, left, right }: SpansetOperation,
  input: SpanSet,
  sets: SpanSets,
  spans: SpanSql,
): Part {
  const [one, other] = [partOf(left, input, sets, spans), partOf(right, input, sets, spans)];
  const hasLeftResults = operator === "||" || operator.startsWith("&");
  return {
    set: sets.combined(operator, one.set, other.set),
    row: hasLeftResults && one.row.sql !== other.row.sql ? anyOf([one.row, other.row]) : other.row,
    needed: operator.startsWith("!")
      ? other.needed
      : operator === "||"
        ? one.needed.intersection(other.needed)
        : one.needed.union(other.needed),
  };
}

/**
 * The number that the count of spans must exceed. @returns undefined for other filters, and for filters that any set
 * passes
 */
function exceeded({ operator, left, right }: ScalarFilter): bigint | undefined {
  if (left.type !== "aggregate" || left.aggregate !== "count" || right.type !== "static") {
    return undefined;
  }
  const value = staticValue(right.value);
  if (typeof value !== "bigint") {
    return undefined;
  }
  const most = operator === ">" ? value : value - 1n;
  return (operator === ">" || operator === ">=") && most >= 0n ? most : undefined;
}

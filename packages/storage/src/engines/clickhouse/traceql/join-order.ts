import type { Pipeline, SpansetOperation } from "traceql";
import type { SqlQuery } from "../search-sql.ts";
import { bytesLiteral } from "../sql-text.ts";
import type { Condition } from "./condition-sql.ts";
import { ancestorMark, soughtMark } from "./descendants.ts";
import { pipelineSql } from "./spanset-sql.ts";
import { anyStart, checkedSql, parametersOf, type SpanSource, spansOf } from "./traceql-sql.ts";

/** A side with at most this many traces counts as rare. */
export const maxRareTraces = 300;
/** Maximum number of rows that the search for rare traces may read, because this search does not always save time. */
const maxRowsLookedAt = 200_000;
/** Maximum number of bytes of the text with the structure of spans: about two million spans. */
const maxStructureBytes = 67_108_864;

/** A query for spans with an ancestor or descendant: conditions on both sides. */
export interface AncestorQuery {
  readonly ancestors: Condition;
  readonly descendants: Condition;
  /** Condition on the spans that the query selects. */
  readonly results: Condition;
}

/**
 * The first stage of a search, if it relates ancestors and descendants and its conditions concern single rows.
 * @returns undefined for other searches
 */
export function ancestorQuery({ stages }: Pipeline, source: SpanSource): AncestorQuery | undefined {
  const [first] = stages;
  if (first?.type !== "spanset-operation") {
    return undefined;
  }
  const side = (expression: SpansetOperation["left"]) =>
    pipelineSql({ type: "pipeline", stages: [expression] }, spansOf(source));
  const [left, right] = [side(first.left), side(first.right)];
  if ([left, right].some(({ sql }) => sql === "1" || sql === "0" || sql.includes("SELECT"))) {
    return undefined;
  }
  if (first.operator === ">>") {
    return { ancestors: left, descendants: right, results: right };
  }
  return first.operator === "<<" ? { ancestors: right, descendants: left, results: right } : undefined;
}

/**
 * SQL for the traces with spans in range that satisfy a condition. It returns at most `maxRareTraces` + 1 traces; the
 * extra one shows that the side is not rare. ClickHouse refuses the statement when it would read too many rows.
 */
export function rareTracesSql(source: SpanSource, { sql: condition }: Condition): SqlQuery {
  const sql = `SELECT DISTINCT lower(hex(trace_id)) AS traceId ${spansOf(source).inRange} AND ${condition}
LIMIT ${maxRareTraces + 1} SETTINGS max_rows_to_read = ${maxRowsLookedAt}`;
  return checkedSql({ sql, parameters: parametersOf(source) });
}

/**
 * SQL for the spans of these traces, one row for each trace, with `spans` in the form of `mayHaveDescendant`. Rows are
 * ordered by the newest span that may be a result, newest first. Traces without such a span are left out. ClickHouse
 * refuses the statement when its result would be too large.
 * @param traceIds ids of 32 hex digits each
 */
export function structureSql(
  source: SpanSource,
  { ancestors, descendants, results }: AncestorQuery,
  traceIds: readonly string[],
): SqlQuery {
  const { isInRange, around } = spansOf(source);
  const ids = traceIds.map((id) => `toFixedString(${bytesLiteral(id)}, 16)`).join(", ");
  const mark = ({ sql }: Condition, value: number) => `${value} * (${isInRange} AND ${sql})`;
  const marks = `${mark(ancestors, ancestorMark)} + ${mark(descendants, soughtMark)}`;
  const isResult = `${isInRange} AND ${results.sql}`;
  const sql = `SELECT lower(hex(trace_id)) AS traceId, toString(toUnixTimestamp64Nano(maxIf(start, ${isResult}))) AS newest,
  arrayStringConcat(groupArray(concat(hex(span_id), hex(parent_span_id), toString(${marks})))) AS spans
${around.replace(" WHERE ", ` PREWHERE trace_id IN (${ids}) WHERE `)} AND indexHint((received, toStartOfMinute(start)) IN
  (SELECT received, minute FROM ${source.database}.trace_minutes WHERE trace_id IN (${ids})))
GROUP BY trace_id HAVING countIf(${isResult}) > 0 ORDER BY maxIf(start, ${isResult}) DESC, trace_id
${anyStart}, max_result_bytes = ${maxStructureBytes}, result_overflow_mode = 'throw'`;
  return checkedSql({ sql, parameters: parametersOf(source) });
}

import type { SpanSelection } from "../../api/analysis-reader.ts";
import { rangeOfQuery } from "../../api/checked-analysis.ts";
import { spanConditionOf } from "../../api/span-condition.ts";
import { type Parameters, spanCondition } from "./search-sql.ts";
import { conditionSql, exactSql } from "./traceql/condition-sql.ts";
import { pipelineSql } from "./traceql/spanset-sql.ts";
import { parametersOf, spansOf } from "./traceql/traceql-sql.ts";

/** The tenant whose spans are selected, and the names of parameters. */
interface SelectionPlace {
  readonly database: string;
  readonly tenant: string;
  /** Prefix of parameter names, for a statement with several selections. */
  readonly prefix?: string | undefined;
}

/**
 * Condition for the spans of a selection.
 * @param parameters receives the parameters of the condition, and `tenant`
 * @throws StorageError STORAGE_BAD_QUERY for a query without an exact condition
 */
export function selectionCondition(
  selection: SpanSelection,
  parameters: Parameters,
  { database, tenant, prefix = "" }: SelectionPlace,
): string {
  const { query, ...filter } = selection;
  const condition = spanCondition(filter, parameters, tenant, prefix);
  if (query?.type !== "search") {
    return condition;
  }
  const source = { database, tenant, range: rangeOfQuery(selection), prefix };
  Object.assign(parameters, parametersOf(source));
  return `${condition} AND ${exactSql(pipelineSql(query.pipeline, spansOf(source)))}`;
}

/** Like `selectionCondition`, for single spans at any time. */
export function singleSpanCondition(
  selection: SpanSelection,
  parameters: Parameters,
  tenant: string,
): string {
  const { query, ...filter } = selection;
  const condition = spanCondition(filter, parameters, tenant);
  const expression = query && spanConditionOf(query);
  return expression === undefined ? condition : `${condition} AND ${exactSql(conditionSql(expression))}`;
}

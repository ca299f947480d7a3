import type { AttributeComparisonQuery } from "../../api/analysis-reader.ts";
import {
  attributeTexts,
  elementsOf,
  keyOfElement,
  untypedElement,
  valueOfUntyped,
} from "./attribute-text-sql.ts";
import { fromSpans } from "./repeated/span-identity.ts";
import { type Parameters, type SqlQuery, spanCondition } from "./search-sql.ts";
import { selectionCondition } from "./selection-sql.ts";
import type { TimeSlice } from "./time-slices.ts";

/** Location of the spans. See `fromSpans` for spans that are stored more than once. */
export interface ComparedSource {
  readonly database: string;
  readonly tenant: string;
  /** True when spans of the time range may be stored twice. The query then counts each span once. */
  readonly areRepeated: boolean;
}

export type ComparedSide = "selected" | "others";

/** Number of spans of each side that still have to be found. */
export type WantedSpans = Readonly<Record<ComparedSide, number>>;

/** The newest spans of one side: their number, and their earliest start. */
export interface NewestSpans {
  readonly side: ComparedSide;
  readonly spans: number;
  readonly startUnixNano: string;
}

/** Rows of `NewestSpans`, for the newest spans of each side in a slice. The query does not read attributes. */
export function newestComparedSql(
  query: AttributeComparisonQuery,
  slice: TimeSlice,
  wanted: WantedSpans,
  { database, tenant, areRepeated }: ComparedSource,
): SqlQuery {
  const parameters: Parameters = { ...wanted };
  const conditions = sideConditions(query, parameters, database, tenant);
  const inSlice = spanCondition(slice, parameters, tenant, "slice_");
  const sides = (["selected", "others"] as const).filter((side) => wanted[side] > 0);
  const newest = sides.map(
    (side) =>
      `SELECT '${side}' AS side, start FROM (SELECT start ${fromSpans(database, `${inSlice} AND ${conditions[side]}`, areRepeated)} ORDER BY start DESC LIMIT {${side}:UInt64})`,
  );
  const sql = `SELECT side, toFloat64(count()) AS spans, toString(toUnixTimestamp64Nano(min(start))) AS startUnixNano
FROM (${newest.join(" UNION ALL ")}) GROUP BY side`;
  return { sql, parameters };
}

/**
 * Rows of `AttributeDifference` with the largest differences, preceded by a row `total` with the number of spans.
 * Attributes of resources are first counted for each resource, because there are few resources. Groups are formed by a
 * hash of key and value.
 * @param starts for each side, the start of the oldest span that is read; a side without an entry is empty
 */
export function comparisonSql(
  { selection, background, limit }: AttributeComparisonQuery,
  starts: ReadonlyMap<ComparedSide, bigint>,
  maxSpans: number,
  { database, tenant, areRepeated }: ComparedSource,
): SqlQuery {
  const parameters: Parameters = { limit: limit + 1, maxSpans };
  const conditions = sideConditions({ selection, background }, parameters, database, tenant);
  const sides = Array.from(starts, ([side, startUnixNano]) => {
    parameters[`${side}From`] = startUnixNano;
    return `(start >= fromUnixTimestamp64Nano({${side}From:Int64}, 'UTC') AND ${conditions[side]})`;
  });
  // The result exceeds `maxSpans` only when several spans share the oldest start.
  const scan = (columns: string) => `SELECT ${conditions.selected} AS is_selected, ${columns}
    ${fromSpans(database, sides.join(" OR "), areRepeated)} LIMIT {maxSpans:UInt64} BY is_selected`;
  const sql = `SELECT place, key, value, toFloat64(selected) AS selected, toFloat64(others) AS others FROM (
  SELECT 'span' AS place, ${keyOfElement("one")} AS key, ${valueOfUntyped("one")} AS value, selected, others FROM (
    SELECT any(element) AS one, countIf(is_selected) AS selected, countIf(NOT is_selected) AS others
    FROM (${scan(`${untyped(attributeTexts.span)} AS elements`)})
    ARRAY JOIN elements AS element GROUP BY cityHash64(element)
  )
  UNION ALL
  SELECT attribute.1 AS place, attribute.2 AS key, attribute.3 AS value, sum(selected) AS selected, sum(others) AS others
  FROM (
    SELECT arrayJoin(arrayConcat([('total', '', '')],
      arrayMap(u -> ('resource', ${keyOfElement("u")}, ${valueOfUntyped("u")}), ${untyped("resource")}))) AS attribute,
      countIf(is_selected) AS selected, countIf(NOT is_selected) AS others
    FROM (${scan(`${attributeTexts.resource} AS resource`)}) GROUP BY resource
  ) GROUP BY attribute
) ORDER BY place = 'total' DESC,
  abs(selected / greatest(maxIf(selected, place = 'total') OVER (), 1)
    - others / greatest(maxIf(others, place = 'total') OVER (), 1)) DESC, place, key, value
LIMIT {limit:UInt64}`;
  return { sql, parameters };
}

/** Key and value of each attribute of a column, without repeats. */
function untyped(column: string): string {
  return `arrayDistinct(arrayMap(e -> ${untypedElement("e")}, ${elementsOf(column)}))`;
}

function sideConditions(
  { selection, background }: Pick<AttributeComparisonQuery, "selection" | "background">,
  parameters: Parameters,
  database: string,
  tenant: string,
): Record<ComparedSide, string> {
  const selected = selectionCondition(selection, parameters, { database, tenant, prefix: "selected_" });
  const others = `${selectionCondition(background, parameters, { database, tenant, prefix: "other_" })} AND NOT (${selected})`;
  return { selected: `(${selected})`, others };
}

import type { MetricsComparison } from "traceql";
import type { AttributeValue } from "wire/model";
import type { TraceQlMetricsQuery } from "../../../api/traceql-reader.ts";
import type { ComparisonRow } from "../../../traceql/comparison-series.ts";
import { attributeTexts, attributeTuples } from "../attribute-text-sql.ts";
import { fromSpans } from "../repeated/span-identity.ts";
import type { SqlQuery } from "../search-sql.ts";
import { conditionSql, exactSql } from "./condition-sql.ts";
import { pipelineSql } from "./spanset-sql.ts";
import { checkedSql, parametersOf, type SpanSource, spansOf } from "./traceql-sql.ts";

/**
 * Maximum number of spans whose attributes are read. With more spans, only the spans of some traces are read, and the
 * counts are scaled up.
 */
const maxComparedSpans = 100_000;

const attributeTypes = "('string', 'int', 'double', 'bool')";

/** Counts of the spans of one side by interval: for one value of an attribute, or for all its values together. */
interface Row {
  readonly selected: 0 | 1;
  readonly key: string;
  /** Type of the value; "" for all values together. */
  readonly type: string;
  readonly value: string;
  readonly intervals: readonly string[];
  readonly counts: readonly number[];
}

/**
 * Reads the rows of a comparison.
 * @param rowsOf runs a SELECT
 * @throws StorageError STORAGE_BAD_QUERY for a query that SQL alone cannot evaluate
 */
export async function readComparison(
  comparison: MetricsComparison,
  source: SpanSource,
  request: Pick<TraceQlMetricsQuery, "stepNano">,
  rowsOf: <T>(query: SqlQuery) => Promise<T[]>,
): Promise<ComparisonRow[]> {
  const { pipeline, selection, within, limit } = comparison;
  const spans = spansOf(source);
  const compared = exactSql(pipelineSql(pipeline, spans));
  const times =
    within === undefined
      ? ""
      : " AND start > fromUnixTimestamp64Nano({selectedFrom:Int64}, 'UTC') AND start <= fromUnixTimestamp64Nano({selectedTo:Int64}, 'UTC')";
  const selected = `(${exactSql(conditionSql(selection.condition, spans))}${times})`;
  const parameters = {
    ...parametersOf(source),
    step: request.stepNano,
    ...(within === undefined ? {} : { selectedFrom: within.startUnixNano, selectedTo: within.endUnixNano }),
  };
  const where = `tenant = {tenant:String} AND ${spans.isInRange} AND ${compared}`;
  const run = <T>(sql: string) => rowsOf<T>(checkedSql({ sql, parameters }));
  const [counted] = await run<{ spans: number }>(
    `SELECT toFloat64(count()) AS spans FROM ${source.database}.spans WHERE ${where}`,
  );
  const scale = Math.max(1, Math.ceil((counted?.spans ?? 0) / maxComparedSpans));
  const inSample = scale === 1 ? where : `${where} AND cityHash64(trace_id) % ${scale} = 0`;
  const sample = fromSpans(source.database, inSample, source.areRepeated === true);
  const rows = [
    ...(await run<Row>(countsSql(selected, sample))),
    ...(await run<Row>(countsSql(selected, sample, limit + 1))),
  ];
  return rows.flatMap((row) => comparisonRowsOf(row, scale));
}

/**
 * @param values number of most frequent values of each attribute to count separately; absent: count all values together
 */
function countsSql(selected: string, from: string, values?: number): string {
  const [group, shown, onlyKeys, limit] =
    values === undefined
      ? ["key", "'' AS type, '' AS value", ".1", ""]
      : ["key, type, value", "pair.2 AS type, pair.3 AS value", "", `LIMIT ${values} BY selected, key`];
  const kept = (scope: keyof typeof attributeTexts) => {
    const tuples = attributeTuples(attributeTexts[scope]);
    const other = scope === "resource" ? " AND a.1 != 'service.name'" : "";
    return `arrayMap(a -> (concat('${scope}.', a.1), a.2, a.3), arrayFilter((a, n) -> n = 1 AND a.2 IN ${attributeTypes}${other}, ${tuples}, arrayEnumerateUniq(arrayMap(a -> a.1, ${tuples}))))`;
  };
  const ofSpan =
    "[('resource.service.name', 'string', toString(service)), ('name', 'string', toString(name)), ('kind', 'string', toString(kind)), " +
    "('status', 'string', toString(status))], if(status_message = '', [], [('statusMessage', 'string', status_message)])";
  // Rows are grouped by a hash. If the texts themselves were grouped, ClickHouse would hash, store and compare each
  // text separately.
  return `SELECT selected, pair.1 AS key, ${shown}, groupArray(toString(slot)) AS intervals, groupArray(n) AS counts FROM (
  SELECT selected, any(one) AS pair, slot, toFloat64(count()) AS n FROM (
    SELECT toUInt8(${selected}) AS selected, intDiv(toUnixTimestamp64Nano(start) + {step:Int64} - 1, {step:Int64}) AS slot,
      arrayJoin(arrayConcat(${kept("span")}, ${kept("resource")}, ${ofSpan})) AS one
    ${from}
  ) GROUP BY selected, slot, cityHash64(one${onlyKeys})
) GROUP BY selected, ${group} ORDER BY sum(n) DESC, ${group} ${limit}`;
}

function comparisonRowsOf(
  { selected, key, type, value, intervals, counts }: Row,
  scale: number,
): ComparisonRow[] {
  return intervals.map((interval, index) => ({
    ...{ isSelected: selected === 1, key, interval: BigInt(interval), count: (counts[index] ?? 0) * scale },
    ...(type === "" ? {} : { value: attributeValue(type, value) }),
  }));
}

function attributeValue(type: string, text: string): AttributeValue {
  switch (type) {
    case "int":
      return { type, value: BigInt(text) };
    case "double":
      return { type, value: Number(text) };
    case "bool":
      return { type, value: text === "true" };
    default:
      return { type: "string", value: text };
  }
}

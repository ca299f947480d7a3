import type { PopulationComparisonQuery, PopulationSums } from "../../api/analysis-reader.ts";
import { fewestSpans, type Stripes } from "../../api/population-comparison.ts";
import {
  attributeTexts,
  elementsOf,
  keyOfElement,
  untypedElement,
  valueOfUntyped,
} from "./attribute-text-sql.ts";
import type { ComparedSource } from "./comparison-sql.ts";
import { fromSpans } from "./repeated/span-identity.ts";
import type { Parameters, SqlQuery } from "./search-sql.ts";
import { selectionCondition } from "./selection-sql.ts";

type Sides = Pick<PopulationComparisonQuery, "a" | "b">;

/** SQL of the bucket index, as `durationBucket` computes it. */
const bucketSql = "if(duration > 1, toUInt16(floor(log2(duration) * 8)), 0)";

const sumsSql = `toFloat64(count()) AS spans, toFloat64(countIf(status = 'error')) AS errors,
  toFloat64(sum(greatest(duration, 0))) AS durationNano, toFloat64(max(duration)) AS longestNano`;

/** Rows by side and bucket: `isA`, `bucket` and sums. The query reads small columns of all spans. */
export function populationSql(sides: Sides, source: ComparedSource): SqlQuery {
  const parameters: Parameters = {};
  const { isA, where } = conditionsOf(sides, parameters, source);
  const sql = `SELECT ${isA} AS isA, ${bucketSql} AS bucket, ${sumsSql}
${fromSpans(source.database, where, source.areRepeated)} GROUP BY isA, bucket`;
  return { sql, parameters };
}

/** One row for each operation, ordered by the change of its time per span. */
export function comparedOperationsSql(
  { limit, ...sides }: PopulationComparisonQuery,
  all: { readonly a: PopulationSums; readonly b: PopulationSums },
  source: ComparedSource,
): SqlQuery {
  const parameters: Parameters = {
    limit,
    spansA: Math.max(1, all.a.spans),
    spansB: Math.max(1, all.b.spans),
  };
  const { isA, where } = conditionsOf(sides, parameters, source);
  const sql = `SELECT service, operation, spanKind,
  groupArray((is_a, bucket, n, failed, nanos, longest)) AS cells
FROM (
  SELECT service, name AS operation, kind AS spanKind, ${isA} AS is_a, ${bucketSql} AS bucket, toFloat64(count()) AS n,
    toFloat64(countIf(status = 'error')) AS failed, toFloat64(sum(greatest(duration, 0))) AS nanos, toFloat64(max(duration)) AS longest
  ${fromSpans(source.database, where, source.areRepeated)} GROUP BY service, operation, spanKind, is_a, bucket
) GROUP BY service, operation, spanKind
ORDER BY abs(sumIf(nanos, is_a) / {spansA:Float64} - sumIf(nanos, NOT is_a) / {spansB:Float64}) DESC, service, operation, spanKind
LIMIT {limit:UInt64}`;
  return { sql, parameters };
}

/**
 * One row for each attribute value with a high score, preceded by a row `total` with the sums of both samples.
 * @param stripes sample of each side; undefined for a side that is read as a whole
 */
export function comparedAttributesSql(
  { limit, maxSpans = 0, ...sides }: PopulationComparisonQuery,
  stripes: { readonly a: Stripes | undefined; readonly b: Stripes | undefined },
  source: ComparedSource,
): SqlQuery {
  // A sample may contain more spans than wanted, because spans are not evenly spread within a stripe. The limit is
  // therefore doubled.
  const parameters: Parameters = { limit: limit + 1, most: maxSpans * 2, fewest: fewestSpans };
  const { isA, where } = conditionsOf(sides, parameters, source, stripes);
  const sums = (as: (name: string) => string) =>
    `countIf(is_a) AS ${as("a_spans")}, countIf(NOT is_a) AS ${as("b_spans")},
      countIf(is_a AND is_failed) AS ${as("a_errors")}, countIf(NOT is_a AND is_failed) AS ${as("b_errors")},
      sumIf(nanos, is_a) AS ${as("a_nanos")}, sumIf(nanos, NOT is_a) AS ${as("b_nanos")}`;
  const names = ["a_spans", "b_spans", "a_errors", "b_errors", "a_nanos", "b_nanos"];
  const scan = (
    columns: string,
  ) => `SELECT ${isA} AS is_a, status = 'error' AS is_failed, toFloat64(greatest(duration, 0)) AS nanos,
      ${columns} ${fromSpans(source.database, where, source.areRepeated)} LIMIT {most:UInt64} BY is_a`;
  const total = (name: string) => `maxIf(${name}, place = 'total') OVER ()`;
  const mean = (nanos: string, spans: string) => `(${nanos}) / greatest(${spans}, 1)`;
  const rest = (side: "a" | "b") => `(${total(`${side}_spans`)} - ${side}_spans)`;
  const restMean = (side: "a" | "b") => mean(`${total(`${side}_nanos`)} - ${side}_nanos`, rest(side));
  const difference = `(${mean(total("a_nanos"), total("a_spans"))} - ${mean(total("b_nanos"), total("b_spans"))})`;
  const explained = `if(a_spans + b_spans < {fewest:UInt64} OR ${rest("a")} < {fewest:UInt64} OR ${rest("b")} < {fewest:UInt64}
    OR ${difference} = 0, 0, least(1, greatest(0, 1 - (${restMean("a")} - ${restMean("b")}) / ${difference})))`;
  const shares = `abs(${mean("a_spans", total("a_spans"))} - ${mean("b_spans", total("b_spans"))})`;
  const sql = `SELECT place, key, value, ${names.map((name) => `toFloat64(${name}) AS ${name}`).join(", ")} FROM (
  SELECT 'span' AS place, ${keyOfElement("one")} AS key, ${valueOfUntyped("one")} AS value, ${names.join(", ")} FROM (
    SELECT any(element) AS one, ${sums((name) => name)}
    FROM (${scan(`${untyped(attributeTexts.span)} AS elements`)})
    ARRAY JOIN elements AS element GROUP BY cityHash64(element)
  )
  UNION ALL
  SELECT attribute.1 AS place, attribute.2 AS key, attribute.3 AS value, ${names.map((name) => `sum(of_${name}) AS ${name}`).join(", ")}
  FROM (
    SELECT arrayJoin(arrayConcat([('total', '', '')],
      arrayMap(u -> ('resource', ${keyOfElement("u")}, ${valueOfUntyped("u")}), ${untyped("resource")}))) AS attribute,
      ${sums((name) => `of_${name}`)}
    FROM (${scan(`${attributeTexts.resource} AS resource`)}) GROUP BY resource
  ) GROUP BY attribute
) ORDER BY place = 'total' DESC, greatest(${shares}, ${explained}) DESC, place, key, value
LIMIT {limit:UInt64}`;
  return { sql, parameters };
}

/** Key and value of each attribute of a column, without repeats. */
function untyped(column: string): string {
  return `arrayDistinct(arrayMap(e -> ${untypedElement("e")}, ${elementsOf(column)}))`;
}

function conditionsOf(
  { a, b }: Sides,
  parameters: Parameters,
  { database, tenant }: ComparedSource,
  stripes: { readonly a?: Stripes | undefined; readonly b?: Stripes | undefined } = {},
): { readonly isA: string; readonly where: string } {
  const isA = `(${selectionCondition(a, parameters, { database, tenant, prefix: "a_" })})`;
  const isB = `(${selectionCondition(b, parameters, { database, tenant, prefix: "b_" })})`;
  const ofA = `${isA}${sampleCondition("a", stripes.a, parameters)}`;
  const ofB = `${isB} AND NOT ${isA}${sampleCondition("b", stripes.b, parameters)}`;
  return { isA, where: `((${ofA}) OR (${ofB}))` };
}

/** SQL condition for the sample. `isInSample` makes the same choice. */
function sampleCondition(side: "a" | "b", stripes: Stripes | undefined, parameters: Parameters): string {
  if (stripes === undefined) {
    return "";
  }
  parameters[`${side}_from`] = stripes.startUnixNano;
  parameters[`${side}_stripe`] = stripes.stripeNano;
  parameters[`${side}_skip`] = stripes.skipNano;
  const since = `toUnixTimestamp64Nano(start) - {${side}_from:Int64}`;
  return ` AND (${since}) % {${side}_stripe:Int64} >= {${side}_skip:Int64}`;
}

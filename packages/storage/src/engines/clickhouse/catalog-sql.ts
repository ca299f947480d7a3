import type { SpanFilter, TimeRange } from "../../api/analysis-reader.ts";
import {
  type AttributeNamesQuery,
  type AttributeScope,
  type AttributeValuesQuery,
  maxCatalogValueBytes,
} from "../../api/attribute-catalog.ts";
import type { IntrinsicSource } from "../../api/intrinsics.ts";
import { attributeTexts, elementsOf, hasKey, keyOfElement, valuesOfKey } from "./attribute-text-sql.ts";
import { eventElements, eventNames, eventText, scopeName, scopeVersion } from "./event-text-sql.ts";
import { withoutCopies } from "./repeated/span-identity.ts";
import { type Parameters, type SqlQuery, spanCondition } from "./search-sql.ts";
import { detailOf, hasParentLinkSql } from "./span-details-sql.ts";
import { conditionSql } from "./traceql/condition-sql.ts";

/** Number of spans to read; the remaining spans of the oldest minute are read as well. */
const maxNamedSpans = 300_000;

/**
 * The spans to read: the spans of the newest minutes. In a minute with very many spans, only every n-th granule is
 * read.
 */
export interface Sample {
  readonly range: TimeRange;
  /** Only every `stride`-th granule is read. */
  readonly stride: number;
  /** True when some spans may be stored more than once. If so, a slower statement removes the copies. */
  readonly areRepeated: boolean;
}

const minuteNano = 60_000_000_000n;
const granuleRows = 4_096;

/** SQL for the values of a key, and a condition that excludes spans without the key. */
interface Values {
  /** SQL for an array of tuples of type name and value. */
  readonly found: string;
  readonly mayHave: string;
}

/** Columns with the attributes of one scope. */
interface Place {
  /** SQL for an array of the keys. */
  readonly keys: string;
  /** @param key SQL expression for a text */
  readonly values: (key: string) => Values;
}

function textPlace(column: string, elements = elementsOf(column)): Place {
  return {
    keys: `arrayMap(e -> ${keyOfElement("e")}, ${elements})`,
    values: (key) => ({ found: valuesOfKey(column, key), mayHave: hasKey(column, key) }),
  };
}

/** @param attributes SQL expression for an array of tuples */
function tuplePlace(keys: string, attributes: string): Place {
  return {
    keys,
    values: (key) => ({
      found: `arrayMap(a -> (toString(a.2), a.3), arrayFilter(a -> a.1 = ${key}, ${attributes}))`,
      mayHave: `has(${keys}, ${key})`,
    }),
  };
}

const scopeAttributes = detailOf("scope_attributes");

const places: Record<Exclude<AttributeScope, "intrinsic">, Place> = {
  span: textPlace(attributeTexts.span),
  resource: textPlace(attributeTexts.resource),
  event: textPlace(eventText, eventElements),
  link: tuplePlace(
    `arrayFlatten(arrayMap(l -> arrayMap(a -> a.1, l.4), ${detailOf("links")}))`,
    `arrayFlatten(arrayMap(l -> l.4, ${detailOf("links")}))`,
  ),
  instrumentation: tuplePlace(`arrayMap(a -> a.1, ${scopeAttributes})`, scopeAttributes),
};

const countedIn = "tenant = {tenant:String} AND minute BETWEEN {from:Int32} AND {to:Int32}";

function countParameters({ startUnixNano, endUnixNano }: TimeRange, tenant: string): Parameters {
  return { tenant, from: startUnixNano / minuteNano, to: endUnixNano / minuteNano };
}

/** Conditions for those parts of a filter that the counts by minute can evaluate. */
function countedBy({ service, operation }: SpanFilter, parameters: Parameters): string {
  if (service) {
    parameters.service = service;
  }
  if (operation) {
    parameters.operation = operation;
  }
  return (
    countedIn +
    (service ? " AND service = {service:String}" : "") +
    (operation ? " AND name = {operation:String}" : "")
  );
}

/**
 * One row: `minute`, the first minute to read, and `spans`, the number of spans from this minute on. There is no row
 * when there are no counts.
 */
export function sampleSql(range: TimeRange, filter: SpanFilter, database: string, tenant: string): SqlQuery {
  const parameters = countParameters(range, tenant);
  const where = countedBy(filter, parameters);
  parameters.spans = maxNamedSpans;
  const sql = `SELECT toString(min(minute)) AS minute, toFloat64(sum(n)) AS spans FROM (
  SELECT minute, sum(calls) AS n, sum(n) OVER (ORDER BY minute DESC) AS through
  FROM ${database}.span_metrics WHERE ${where} GROUP BY minute
) WHERE through - n < {spans:UInt64} HAVING spans > 0`;
  return { sql, parameters };
}

/** @param row the result of `sampleSql` */
export function sampleOf(
  range: TimeRange,
  row: { readonly minute: string; readonly spans: number },
  areRepeated: boolean,
): Sample {
  const from = BigInt(row.minute) * minuteNano;
  const startUnixNano = from > range.startUnixNano ? from : range.startUnixNano;
  return {
    range: { startUnixNano, endUnixNano: range.endUnixNano },
    stride: Math.ceil(row.spans / (2 * maxNamedSpans)),
    areRepeated,
  };
}

/** The tenant whose rows are sampled. */
interface SampledTenant {
  readonly database: string;
  readonly tenant: string;
  readonly parameters: Parameters;
}

function sampledFrom(
  { range, stride, areRepeated }: Sample,
  { filter = {}, condition }: Pick<AttributeValuesQuery, "filter" | "condition">,
  { database, tenant, parameters }: SampledTenant,
): string {
  const where = spanCondition(
    { ...filter, startTimeMinUnixNano: range.startUnixNano, startTimeMaxUnixNano: range.endUnixNano },
    parameters,
    tenant,
  );
  const also = condition === undefined ? "" : ` AND (${conditionSql(condition).sql})`;
  const some = stride > 1 ? ` AND intDiv(_part_offset, ${granuleRows}) % ${stride} = 0` : "";
  const all = `${where}${also}${some}`;
  return areRepeated ? `${withoutCopies(database, all)} WHERE 1` : `${database}.spans AS stored WHERE ${all}`;
}

/**
 * Keys of attributes with the number of their spans. Each distinct resource is parsed once, because there are few
 * resources and many spans.
 */
function keysOf(scope: keyof typeof places, from: string): string {
  const { resource } = attributeTexts;
  const key = `arrayJoin(${places[scope].keys}) AS key`;
  return scope === "resource"
    ? `SELECT ${key}, spans FROM (SELECT ${resource}, count() AS spans FROM ${from} GROUP BY ${resource})`
    : `SELECT ${key}, 1 AS spans FROM ${from}`;
}

/** The rows that names are read from. */
interface NamesSource {
  readonly scopes: readonly AttributeScope[];
  readonly sample: Sample;
  readonly database: string;
  readonly tenant: string;
}

/** Rows of `scope` and `name`: the most frequent names of each scope. */
export function namesSql(
  query: AttributeNamesQuery,
  { scopes, sample, database, tenant }: NamesSource,
): SqlQuery {
  const { prefix = "", limit } = query;
  const parameters: Parameters = { prefix, limit };
  const from = sampledFrom(sample, query, { database, tenant, parameters });
  const branches = scopes.flatMap((scope) =>
    scope === "intrinsic"
      ? []
      : [
          `SELECT '${scope}' AS scope, toString(key) AS name, sum(spans) AS seen
  FROM (${keysOf(scope, from)}) GROUP BY key HAVING startsWith(name, {prefix:String})`,
        ],
  );
  const sql = `SELECT scope, name FROM (${branches.join(" UNION ALL ")})
ORDER BY scope, seen DESC, name LIMIT {limit:UInt64} BY scope`;
  return { sql, parameters };
}

/** Rows of `CatalogValue`: names of services or operations, counted over all spans. */
export function countedNamesSql(
  { range, limit, prefix = "", filter = {} }: AttributeValuesQuery,
  column: "service" | "name",
  database: string,
  tenant: string,
): SqlQuery {
  const parameters = countParameters(range, tenant);
  const where = countedBy(filter, parameters);
  return {
    sql: valuesFrom(`SELECT 'string' AS type, toString(${column}) AS value, sum(calls) AS seen
  FROM ${database}.span_metrics WHERE ${where} GROUP BY value`),
    parameters: { ...parameters, limit, prefix },
  };
}

/** Rows of `CatalogValue`: values of an attribute. */
export function attributeValuesSql(
  query: AttributeValuesQuery,
  sample: Sample,
  database: string,
  tenant: string,
): SqlQuery {
  const { scope, name, limit, prefix = "" } = query;
  const parameters: Parameters = { attribute: name, limit, prefix };
  const from = sampledFrom(sample, query, { database, tenant, parameters });
  if (scope === "intrinsic") {
    return { sql: "SELECT 1 WHERE 0", parameters };
  }
  const { found, mayHave } = places[scope].values("{attribute:String}");
  const sql =
    valuesFrom(`SELECT if(found.1 = 'double', 'float', found.1) AS type, found.2 AS value, count() AS seen
  FROM (SELECT arrayJoin(${found}) AS found FROM ${from} AND ${mayHave})
  WHERE found.1 IN ('string', 'bool', 'int', 'double') GROUP BY type, value`);
  return { sql, parameters };
}

const ofRoots = `parent_span_id = toFixedString('', 8) AND NOT ${hasParentLinkSql}`;

/** For an intrinsic: the column with its texts, and a condition for the spans that have a text. */
const intrinsicColumns: Partial<Record<IntrinsicSource, readonly [column: string, condition: string]>> = {
  name: ["name", "1"],
  statusMessage: ["status_message", "status_message != ''"],
  rootName: ["name", ofRoots],
  rootService: ["service", ofRoots],
  eventName: [`arrayJoin(${eventNames})`, "1"],
  scopeName: [scopeName, `${scopeName} != ''`],
  scopeVersion: [scopeVersion, `${scopeVersion} != ''`],
};

/** The rows that values are read from. */
interface TextsSource {
  readonly source: IntrinsicSource | "service";
  readonly sample: Sample;
  readonly database: string;
  readonly tenant: string;
}

/** Rows of `CatalogValue`: texts of an intrinsic, or of services. */
export function textsSql(
  query: AttributeValuesQuery,
  { source, sample, database, tenant }: TextsSource,
): SqlQuery {
  const { limit, prefix = "" } = query;
  const parameters: Parameters = { limit, prefix };
  const from = sampledFrom(sample, query, { database, tenant, parameters });
  const [column, condition] =
    source === "service" ? ["service", "1"] : (intrinsicColumns[source] ?? ["''", "0"]);
  const sql = valuesFrom(`SELECT 'string' AS type, toString(found) AS value, count() AS seen
  FROM (SELECT ${column} AS found FROM ${from} AND ${condition}) ${source === "eventName" ? "WHERE found != ''" : ""} GROUP BY value`);
  return { sql, parameters };
}

/** @param counted SELECT with the columns `type`, `value` and `seen` */
function valuesFrom(counted: string): string {
  return `SELECT type, value, toFloat64(seen) AS count FROM (${counted})
WHERE startsWith(value, {prefix:String}) AND length(value) <= ${maxCatalogValueBytes}
ORDER BY seen DESC, type, value LIMIT {limit:UInt64}`;
}

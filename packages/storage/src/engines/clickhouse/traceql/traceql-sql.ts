import type { Field, MetricsAggregate } from "traceql";
import type { TimeRange } from "../../../api/analysis-reader.ts";
import { traceRange } from "../../../api/checked-traceql.ts";
import { StorageError } from "../../../api/storage-error.ts";
import { wantsBuckets } from "../../../traceql/metric-rows.ts";
import { adjustedCountSql, countOfSql } from "../adjusted-count-sql.ts";
import { fromSpans } from "../repeated/span-identity.ts";
import { keepsUnpacked } from "../schema/span-sql.ts";
import type { SqlQuery } from "../search-sql.ts";
import { hasParentLinkSql } from "../span-details-sql.ts";
import { bytesLiteral } from "../sql-text.ts";
import type { Condition } from "./condition-sql.ts";
import { fieldNumber, fieldValues, lengthSql } from "./field-sql.ts";
import type { SpanSql } from "./span-relations.ts";

/** Length limit of a statement in bytes. ClickHouse accepts up to 256 KiB. */
const maxStatementBytes = 250_000;

/** Maximum number of groups in a metrics query. One more row tells the reader that the limit is exceeded. */
export const maxMetricRows = 1_000_000;

/**
 * Settings of statements that search the minutes of traces. Minutes are 32-bit numbers and overflow before 1970 and
 * after 2106. In a part of the table with such a span, the index of start times would exclude other spans. The primary
 * key contains the minutes.
 */
export const anyStart = `SETTINGS ignore_data_skipping_indices = 'start_index', ${keepsUnpacked}`;

/** The place from which the spans of a query are read. */
export interface SpanSource {
  readonly database: string;
  readonly tenant: string;
  /** Time range in which the spans start. */
  readonly range: TimeRange;
  /** Prefix of parameter names in a statement with several sources; "" by default. */
  readonly prefix?: string;
  /** True when the query counts original spans instead of stored spans. Default: false. */
  readonly isAdjusted?: boolean;
  /** True when some spans may be stored more than once. Default: false. */
  readonly areRepeated?: boolean;
}

/**
 * Length limit of a slice in nanoseconds for reading the minutes of traces. In longer slices, traces have spans in
 * almost every minute.
 */
const shortSliceNano = 1_200_000_000_000n;

/**
 * FROM and WHERE for the tenant's spans. @param slice only traces with spans in this slice are read; see
 * `candidatesSql`
 */
export function spansOf(
  { database, range, prefix = "", areRepeated = false }: SpanSource,
  slice: TimeRange = range,
): SpanSql {
  const own = `FROM ${database}.spans WHERE tenant = {tenant:String}`;
  const isInRange = within(`${prefix}rangeStart`, `${prefix}rangeEnd`);
  const isShort = slice.endUnixNano - slice.startUnixNano <= shortSliceNano;
  const isInMinutesOf = (traces: string) =>
    `(received, toStartOfMinute(start)) IN (SELECT received, minute FROM ${database}.trace_minutes WHERE ${traces})`;
  return {
    inRange: `${own} AND ${isInRange}`,
    around: `${own} AND ${within(`${prefix}aroundStart`, `${prefix}aroundEnd`)}`,
    isInRange,
    ...(areRepeated
      ? {
          inRangeOnce: (condition: string) =>
            fromSpans(database, `tenant = {tenant:String} AND ${isInRange} AND ${condition}`, true),
        }
      : {}),
    ...(slice === range
      ? {}
      : {
          isInSlice: `(${within("sliceStart", "sliceEnd")})`,
          ...(isShort ? { isInMinutesOf } : {}),
        }),
  };
}

function within(start: string, end: string): string {
  return `start >= fromUnixTimestamp64Nano({${start}:Int64}, 'UTC') AND start <= fromUnixTimestamp64Nano({${end}:Int64}, 'UTC')`;
}

/** Values of the parameters that `spansOf` uses. */
export function parametersOf({ tenant, range, prefix = "" }: SpanSource): Record<string, string | bigint> {
  const around = traceRange(range);
  return {
    tenant,
    [`${prefix}rangeStart`]: range.startUnixNano,
    [`${prefix}rangeEnd`]: range.endUnixNano,
    [`${prefix}aroundStart`]: around.startUnixNano,
    [`${prefix}aroundEnd`]: around.endUnixNano,
  };
}

/**
 * SQL for rows of `traceId` and `newest`: the traces with spans in the slice that satisfy a condition. Rows are ordered
 * by the newest of these spans, newest first.
 */
export function candidatesSql(
  source: SpanSource,
  condition: Condition,
  slice: TimeRange,
  limit: number,
): SqlQuery {
  const sql = `SELECT lower(hex(trace_id)) AS traceId, toString(toUnixTimestamp64Nano(max(start))) AS newest
FROM ${source.database}.spans WHERE tenant = {tenant:String} AND ${within("sliceStart", "sliceEnd")} AND ${condition.sql}
GROUP BY trace_id ORDER BY max(start) DESC, trace_id LIMIT {limit:UInt64} ${anyStart}`;
  const parameters = {
    ...parametersOf(source),
    sliceStart: slice.startUnixNano,
    sliceEnd: slice.endUnixNano,
    limit,
  };
  return checkedSql({ sql, parameters });
}

/** SQL for rows of `TraceQlRow`: the spans of these traces. @param traceIds ids of 32 hex digits each */
export function rowsOfTracesSql(
  source: SpanSource,
  traceIds: readonly string[],
  fields: readonly Field[],
): SqlQuery {
  const { database } = source;
  const ids = traceIds.map((id) => `toFixedString(${bytesLiteral(id)}, 16)`).join(", ");
  const sql = `SELECT ${rowColumns(fields)} FROM ${database}.spans PREWHERE trace_id IN (${ids})
WHERE tenant = {tenant:String} AND (received, toStartOfMinute(start)) IN
  (SELECT received, minute FROM ${database}.trace_minutes WHERE trace_id IN (${ids})) AND ${within("aroundStart", "aroundEnd")}
${anyStart}`;
  return checkedSql({ sql, parameters: parametersOf(source) });
}

/** SQL for one row: the number of `traces` and `spans` that satisfy a condition. */
export function candidateCountSql(source: SpanSource, condition: Condition): SqlQuery {
  const sql = `SELECT toFloat64(uniqExact(trace_id)) AS traces, toFloat64(count()) AS spans ${spansOf(source).inRange} AND ${condition.sql}`;
  return checkedSql({ sql, parameters: parametersOf(source) });
}

/**
 * SQL for rows of `TraceQlRow`, the spans of one part of the traces. It reads one part of the traces with spans that
 * satisfy a condition.
 */
export function rowsOfPartSql(
  source: SpanSource,
  condition: Condition,
  fields: readonly Field[],
  { part, parts }: { readonly part: number; readonly parts: number },
): SqlQuery {
  const isInPart = parts === 1 ? "1" : "cityHash64(trace_id) % {parts:UInt32} = {part:UInt32}";
  const adjusted = source.isAdjusted === true ? `, ${adjustedCountSql} AS a` : "";
  const sql = `SELECT ${rowColumns(fields)}${adjusted} FROM ${source.database}.spans
WHERE tenant = {tenant:String} AND ${within("aroundStart", "aroundEnd")} AND ${isInPart}
  AND trace_id IN (SELECT trace_id ${spansOf(source).inRange} AND ${condition.sql} AND ${isInPart})`;
  return checkedSql({ sql, parameters: { ...parametersOf(source), part, parts } });
}

function rowColumns(fields: readonly Field[]): string {
  const values = fields.map((field) => fieldValues(field) ?? "[]");
  return `lower(hex(trace_id)) AS t, lower(hex(span_id)) AS i,
  if(parent_span_id = toFixedString('', 8), '', lower(hex(parent_span_id))) AS p, ${hasParentLinkSql} AS o, service AS s, name AS n,
  toString(kind) AS k, toString(status) AS c, toString(toUnixTimestamp64Nano(start)) AS b, toString(${lengthSql}) AS d,
  ${within("rangeStart", "rangeEnd")} AS r, ${values.length === 0 ? "[]" : `[${values.join(", ")}]`} AS v`;
}

/** Aggregate and steps of a metric. */
interface MetricShape {
  /** Function of the metric, such as `rate`. */
  readonly aggregate: MetricsAggregate;
  /** Nanoseconds of one step. */
  readonly stepNano: bigint;
  /** True when exemplars are read too. */
  readonly wantsExemplars: boolean;
}

/** Sums of an adjusted query. `each` is the number of original spans that a span represents. */
const adjustedSums = `sum(${countOfSql("each")}) AS c, sum(number * ${countOfSql("each")}) AS s,
  toFloat64(count()) AS n, CAST((c, sum(each * greatest(each - 1, 0)), countIf(each = 0), minIf(each, each > 0), max(each)),
    'Tuple(adjusted Float64, variance Float64, unknown Float64, least Float64, greatest Float64)') AS a,`;

/**
 * SQL for rows of `MetricSqlRow`: sums over the spans that satisfy a condition.
 * @returns undefined when SQL does not know a field
 */
export function metricRowsSql(
  source: SpanSource,
  condition: Condition,
  { aggregate, stepNano, wantsExemplars }: MetricShape,
): SqlQuery | undefined {
  const { field, by } = aggregate;
  const groups = by.map(fieldValues);
  const number = field === undefined ? "toNullable(toFloat64(0))" : fieldNumber(field);
  if (number === undefined || groups.includes(undefined)) {
    return undefined;
  }
  const bucket = wantsBuckets(aggregate)
    ? "if(number > 0, bitShiftRight(reinterpretAsUInt64(number) - 1, 48), 0)"
    : "0";
  const where = `tenant = {tenant:String} AND ${within("rangeStart", "rangeEnd")} AND ${condition.sql}`;
  const exemplar = wantsExemplars
    ? ", argMin((lower(hex(trace_id)), lower(hex(span_id)), toString(toUnixTimestamp64Nano(start)), number), (start, span_id)) AS e"
    : "";
  const isAdjusted = source.isAdjusted === true;
  const sums = isAdjusted ? adjustedSums : "toFloat64(count()) AS c, sum(number) AS s,";
  const sql = `SELECT [${groups.join(", ")}] AS g,
  toString(intDiv(toUnixTimestamp64Nano(start) + {step:Int64} - 1, {step:Int64})) AS i, toUInt32(${bucket}) AS b,
  ${sums} min(number) AS l, max(number) AS h${exemplar}
FROM (SELECT *, assumeNotNull(nullable) AS number FROM (
  SELECT *, ${number} AS nullable${isAdjusted ? `, ${adjustedCountSql} AS each` : ""} ${fromSpans(source.database, where, source.areRepeated === true)}
) WHERE nullable IS NOT NULL)
GROUP BY g, i, b LIMIT ${maxMetricRows + 1}`;
  return checkedSql({ sql, parameters: { ...parametersOf(source), step: stepNano } });
}

/** Checks the length of a statement. @throws StorageError STORAGE_BAD_QUERY for a statement that is too long */
export function checkedSql(query: SqlQuery): SqlQuery {
  const length = Buffer.byteLength(query.sql);
  if (length > maxStatementBytes) {
    throw new StorageError(
      "STORAGE_BAD_QUERY",
      `the query becomes a statement of ${length} bytes, over the limit of ${maxStatementBytes}`,
    );
  }
  return query;
}

import type {
  DurationRankQuery,
  HeatMapQuery,
  TailQuery,
  TimeRange,
  TopOperationsQuery,
} from "../../api/analysis-reader.ts";
import { copiesSql } from "./repeated/copies-sql.ts";
import { fromSpans } from "./repeated/span-identity.ts";
import { selectColumns } from "./schema/span-sql.ts";
import { type Parameters, type SqlQuery, spanCondition } from "./search-sql.ts";
import { singleSpanCondition } from "./selection-sql.ts";

/** Delay in seconds after which arrived spans are returned. A follower may miss a block whose insert takes longer. */
const tailDelaySeconds = 3;

function within({ startUnixNano, endUnixNano }: TimeRange) {
  return { startTimeMinUnixNano: startUnixNano, startTimeMaxUnixNano: endUnixNano };
}

/** Tables to read the spans from, and the width of a column. */
interface HeatMapSource {
  /** Width of a column in nanoseconds. */
  readonly columnNano: bigint;
  readonly database: string;
  readonly tenant: string;
  /**
   * True when spans may be stored more than once, as for `fromSpans`. `ask`: like false, but the rows also say whether
   * the tenant has spans that are stored more than once.
   */
  readonly areRepeated: boolean | "ask";
}

/** Rows of `HeatMapCell`, each with `areRepeated`, which is 1 when some spans are known to be stored more than once. */
export function heatMapSql(
  query: HeatMapQuery,
  { columnNano, database, tenant, areRepeated }: HeatMapSource,
): SqlQuery {
  const parameters: Parameters = { rangeStart: query.range.startUnixNano, width: columnNano };
  const where = spanCondition({ ...query, ...within(query.range) }, parameters, tenant);
  const told =
    areRepeated === "ask"
      ? `exists(${copiesSql(database, { range: undefined, tenant }, parameters)})`
      : Number(areRepeated);
  const sql = `SELECT toUInt32(intDiv(toUnixTimestamp64Nano(start) - {rangeStart:Int64}, {width:Int64})) AS column,
  if(duration > 1, toUInt8(floor(log2(duration))), 0) AS durationLog2,
  toFloat64(count()) AS spans, toFloat64(countIf(status = 'error')) AS errors, ${told} AS areRepeated
${fromSpans(database, where, areRepeated === true)} GROUP BY column, durationLog2 ORDER BY column, durationLog2`;
  return { sql, parameters };
}

/** One row: `peers`, `notLonger`, `quantiles`. @param areRepeated as for `fromSpans` */
export function durationRankSql(
  query: DurationRankQuery,
  database: string,
  tenant: string,
  areRepeated: boolean,
): SqlQuery {
  const { service, operation, spanKind, durationNano, range } = query;
  const parameters: Parameters = { duration: durationNano, service, operation };
  // Conditions of a search cannot be used: in a search, "" means no condition.
  let where = `${spanCondition(within(range), parameters, tenant)} AND service = {service:String} AND name = {operation:String}`;
  if (spanKind !== undefined) {
    where += " AND kind = {kind:String}";
    parameters.kind = spanKind;
  }
  const sql = `SELECT toFloat64(count()) AS peers, toFloat64(countIf(duration <= {duration:Int64})) AS notLonger,
  arrayMap(nano -> toFloat64(nano), quantilesTDigest(0.5, 0.95, 0.99)(greatest(duration, 0))) AS quantiles
${fromSpans(database, where, areRepeated)}`;
  return { sql, parameters };
}

/** Rows of `OperationSummary` with calls by duration bucket instead of quantiles. */
export function topOperationsSql(
  { service, range }: TopOperationsQuery,
  database: string,
  tenant: string,
): SqlQuery {
  const parameters: Parameters = {
    tenant,
    from: minuteOf(range.startUnixNano),
    to: minuteOf(range.endUnixNano),
  };
  if (service) {
    parameters.service = service;
  }
  const sql = `SELECT service, operation, spanKind, toFloat64(sum(n)) AS calls, toFloat64(sum(failed)) AS errors,
  toFloat64(sum(nanos)) AS durationNano, groupArray((bucket, toFloat64(n))) AS buckets
FROM (
  SELECT service, name AS operation, kind AS spanKind, bucket, sum(calls) AS n, sum(errors) AS failed, sum(total_duration) AS nanos
  FROM ${database}.span_metrics
  WHERE tenant = {tenant:String} ${service ? "AND service = {service:String}" : ""} AND minute BETWEEN {from:Int32} AND {to:Int32}
  GROUP BY service, operation, spanKind, bucket
) GROUP BY service, operation, spanKind`;
  return { sql, parameters };
}

export function minuteOf(unixNano: bigint): bigint {
  return unixNano / 60_000_000_000n;
}

/** One row: `cursor`, the position up to which spans can be read, and `spans`, their number. */
export function tailCountSql(query: TailQuery, database: string, tenant: string): SqlQuery {
  const settled = `toUnixTimestamp(now()) - ${tailDelaySeconds}`;
  const upTo = query.upTo === undefined ? settled : String(Number(query.upTo));
  if (query.cursor === undefined) {
    return { sql: `SELECT toString(${upTo}) AS cursor, 0 AS spans`, parameters: {} };
  }
  const parameters: Parameters = {};
  const sql = `SELECT toString(greatest(${upTo}, {after:UInt32})) AS cursor, toFloat64(count()) AS spans
FROM ${database}.spans AS stored WHERE ${arrivedWithin(query, upTo, parameters, tenant)}`;
  return { sql, parameters };
}

/** Rows for `readStoredRows`, newest first. @param cursor end of the range to read */
export function tailSpansSql(query: TailQuery, cursor: string, database: string, tenant: string): SqlQuery {
  const parameters: Parameters = { upTo: Number(cursor), limit: query.limit };
  const where = arrivedWithin(query, "{upTo:UInt32}", parameters, tenant);
  const sql = `SELECT ${selectColumns} FROM ${database}.spans WHERE ${where}
ORDER BY arrived DESC, start DESC LIMIT {limit:UInt64} FORMAT RowBinary`;
  return { sql, parameters };
}

function arrivedWithin(query: TailQuery, upTo: string, parameters: Parameters, tenant: string): string {
  parameters.after = Number(query.cursor);
  return (
    `${singleSpanCondition(query, parameters, tenant)} AND arrived > toDateTime({after:UInt32}, 'UTC') ` +
    // The column `received` contains the day by the collector's clock, which may differ from the server's.
    `AND arrived <= toDateTime(${upTo}, 'UTC') AND received >= toDate(toDateTime({after:UInt32}, 'UTC')) - 1`
  );
}

import { tenantOf } from "../../api/checked-query.ts";
import { checkedCountMinutes, type SpanCount, type SpanCountQuery } from "../../api/span-counts.ts";
import type { ReadOptions } from "../../api/span-reader.ts";
import { readCall } from "./calls/read-call.ts";
import type { ClickHouseConnection } from "./clickhouse-connection.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";

/** Database, query and limits of the count. */
interface SpanCountsRead {
  readonly database: string;
  readonly query: SpanCountQuery;
  readonly options: ReadOptions;
}

/** Counts spans of all services from `span_metrics`. */
export async function clickHouseSpanCounts(
  connection: ClickHouseConnection,
  schema: SchemaGuard,
  { database, query, options }: SpanCountsRead,
): Promise<SpanCount[]> {
  const { startMinute, endMinute } = checkedCountMinutes(query);
  const sql = `SELECT service, name AS operation, kind AS spanKind, bucket AS durationBucket,
  toFloat64(sum(m.calls)) AS calls, toFloat64(sum(m.errors)) AS errors,
  toFloat64(sum(m.total_duration)) AS durationNano
FROM ${database}.span_metrics AS m
WHERE tenant = {tenant:String} AND minute >= {startMinute:Int32} AND minute < {endMinute:Int32}
GROUP BY service, operation, spanKind, durationBucket`;
  const parameters = { tenant: tenantOf(options), startMinute, endMinute };
  return await schema.run(
    () => connection.rows<SpanCount>(sql, parameters, readCall(options, "metrics")),
    options.signal,
  );
}

import { tenantOf } from "../../api/checked-query.ts";
import type { CountSlots, MetricSlots, SeriesCounts } from "../../api/metric-series.ts";
import type { MetricsQuery } from "../../api/metrics-reader.ts";
import { readCall } from "./calls/read-call.ts";
import type { ClickHouseConnection } from "./clickhouse-connection.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";

/** Counts spans by slot from `span_metrics`, which has counts by minute. */
export function clickHouseCountSlots(
  connection: ClickHouseConnection,
  schema: SchemaGuard,
  database: string,
): CountSlots {
  return async (query, slots, byBucket, options) => {
    const parameters = {
      tenant: tenantOf(options),
      services: query.services,
      kinds: query.spanKinds,
      startMinute: slots.startUnixMs / 60_000,
      slotMinutes: slots.slotMinutes,
      slots: slots.count,
    };
    const sql = countSql(query, slots, byBucket, database);
    return await schema.run(
      () => connection.rows<SeriesCounts>(sql, parameters, readCall(options, "metrics")),
      options.signal,
    );
  };
}

/** The query returns one row for each series, because reading thousands of rows takes longer than counting. */
function countSql(
  { groupByOperation }: MetricsQuery,
  { slotMinutes }: MetricSlots,
  byBucket: boolean,
  database: string,
): string {
  const slot = "intDiv(minute - {startMinute:Int32}, {slotMinutes:Int32})";
  const rows = `FROM ${database}.span_metrics AS m
  WHERE tenant = {tenant:String} AND service IN {services:Array(String)} AND kind IN {kinds:Array(String)}
    AND minute >= {startMinute:Int32} AND minute < {startMinute:Int32} + {slotMinutes:Int32} * {slots:Int32}`;
  // With slots of one minute, there are almost as many groups as rows. Then rows are not grouped by slot, and the
  // caller adds them up.
  if (byBucket && groupByOperation && slotMinutes === 1) {
    return `SELECT service, name AS operation, groupArray(${slot}) AS slots, groupArray(bucket) AS buckets,
  groupArray(toFloat64(toInt64(m.calls))) AS calls, [] AS errors
  ${rows} GROUP BY service, operation`;
  }
  return `SELECT service, operation, groupArray(slot) AS slots, ${byBucket ? "groupArray(bucket)" : "[]"} AS buckets,
  groupArray(n) AS calls, ${byBucket ? "[]" : "groupArray(failed)"} AS errors
FROM (
  SELECT service, ${groupByOperation ? "name" : "''"} AS operation, ${slot} AS slot, ${byBucket ? "bucket, " : ""}
    toFloat64(sum(m.calls)) AS n, toFloat64(sum(m.errors)) AS failed
  ${rows} GROUP BY service, operation, slot${byBucket ? ", bucket" : ""}
) GROUP BY service, operation`;
}

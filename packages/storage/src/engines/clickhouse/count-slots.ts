import { tenantOf } from "../../api/checked-query.ts";
import type { CountSlots, SeriesCounts } from "../../api/metric-series.ts";
import type { ClickHouseConnection } from "./clickhouse-connection.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";

/** Counts from `span_metrics`, which has them by minute. */
export function clickHouseCountSlots(
  connection: ClickHouseConnection,
  schema: SchemaGuard,
  database: string,
): CountSlots {
  return async (query, slots, byBucket, options) => {
    const { signal } = options;
    const startMinute = slots.startUnixMs / 60_000;
    // A row for each series: thousands of rows would take longer to read than to count.
    const sql = `SELECT service, operation, groupArray(slot) AS slots, ${byBucket ? "groupArray(bucket)" : "[]"} AS buckets,
  groupArray(n) AS calls, ${byBucket ? "[]" : "groupArray(failed)"} AS errors
FROM (
  SELECT service, ${query.groupByOperation ? "name" : "''"} AS operation,
    intDiv(minute - {startMinute:Int32}, {slotMinutes:Int32}) AS slot, ${byBucket ? "bucket, " : ""}
    toFloat64(sum(m.calls)) AS n, toFloat64(sum(m.errors)) AS failed
  FROM ${database}.span_metrics AS m
  WHERE tenant = {tenant:String} AND service IN {services:Array(String)} AND kind IN {kinds:Array(String)}
    AND minute >= {startMinute:Int32} AND minute < {startMinute:Int32} + {slotMinutes:Int32} * {slots:Int32}
  GROUP BY service, operation, slot${byBucket ? ", bucket" : ""}
) GROUP BY service, operation`;
    const parameters = {
      tenant: tenantOf(options),
      services: query.services,
      kinds: query.spanKinds,
      startMinute,
      slotMinutes: slots.slotMinutes,
      slots: slots.count,
    };
    return await schema.run(() => connection.rows<SeriesCounts>(sql, parameters, signal), signal);
  };
}

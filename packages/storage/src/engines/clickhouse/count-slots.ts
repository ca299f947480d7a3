import { tenantOf } from "../../api/checked-query.ts";
import type { CountSlots, SlotCount } from "../../api/metric-series.ts";
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
    const sql = `SELECT service, ${query.groupByOperation ? "name" : "''"} AS operation,
  intDiv(minute - {startMinute:Int32}, {slotMinutes:Int32}) AS slot, ${byBucket ? "bucket" : "0"} AS bucket,
  toFloat64(sum(m.calls)) AS calls, toFloat64(sum(m.errors)) AS errors
FROM ${database}.span_metrics AS m
WHERE tenant = {tenant:String} AND service IN {services:Array(String)} AND kind IN {kinds:Array(String)}
  AND minute >= {startMinute:Int32} AND minute < {startMinute:Int32} + {slotMinutes:Int32} * {slots:Int32}
GROUP BY service, operation, slot, bucket`;
    const parameters = {
      tenant: tenantOf(options),
      services: query.services,
      kinds: query.spanKinds,
      startMinute,
      slotMinutes: slots.slotMinutes,
      slots: slots.count,
    };
    return await schema.run(() => connection.rows<SlotCount>(sql, parameters, signal), signal);
  };
}

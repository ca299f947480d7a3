import { tenantOf } from "../../api/checked-query.ts";
import { checkGoodCounts, type GoodCount, type GoodCountsQuery } from "../../api/good-counts.ts";
import type { ReadOptions } from "../../api/span-reader.ts";
import { countOfSql } from "./adjusted-count-sql.ts";
import { readCall } from "./calls/read-call.ts";
import type { ClickHouseConnection } from "./clickhouse-connection.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";

/** Database, query and limits of the count. */
interface GoodCountsRead {
  readonly database: string;
  /** Selects the spans to count and defines which spans are good. */
  readonly query: GoodCountsQuery;
  readonly options: ReadOptions;
}

/** Counts good spans from `span_metrics`, which has counts by minute and duration bucket. @throws StorageError */
export async function clickHouseGoodCounts(
  connection: ClickHouseConnection,
  schema: SchemaGuard,
  { database, query, options }: GoodCountsRead,
): Promise<GoodCount[]> {
  checkGoodCounts(query);
  const { service, operations, spanKinds, startUnixMs, endUnixMs, stepMs, endBucket } = query;
  const each = countOfSql("m.adjusted_count");
  // A removed copy of a span may be a separate row with negative counts, so the sum needs signed numbers.
  const good = "toInt64(m.calls) - toInt64(m.errors)";
  const isFast = endBucket === undefined ? "" : ", m.bucket < {endBucket:UInt16}";
  const among = operations.length === 0 ? "" : " AND name IN {operations:Array(String)}";
  const sql = `SELECT intDiv(minute - {startMinute:Int32}, {stepMinutes:Int32}) AS step,
  sum(toInt64(m.calls) * ${each}) AS total, sum${isFast === "" ? "" : "If"}((${good}) * ${each}${isFast}) AS good
FROM ${database}.span_metrics AS m
WHERE tenant = {tenant:String} AND service = {service:String}${among} AND kind IN {kinds:Array(String)}
  AND minute >= {startMinute:Int32} AND minute < {endMinute:Int32}
GROUP BY step HAVING total > 0 ORDER BY step`;
  const parameters = {
    tenant: tenantOf(options),
    service,
    kinds: spanKinds,
    startMinute: startUnixMs / 60_000,
    endMinute: endUnixMs / 60_000,
    stepMinutes: stepMs / 60_000,
    ...(operations.length === 0 ? {} : { operations }),
    ...(endBucket === undefined ? {} : { endBucket: Math.min(endBucket, 65_535) }),
  };
  return await schema.run(
    () => connection.rows<GoodCount>(sql, parameters, readCall(options, "metrics")),
    options.signal,
  );
}

import { callBucketsPerDoubling } from "../../../api/duration-buckets.ts";
import { adjustedCountOfChildSql, adjustedCountSql } from "../adjusted-count-sql.ts";
import { minuteNumber, noParent } from "./derived-migration.ts";
import type { Migration } from "./migration.ts";

const isOlderFormat = "format != 'otlp'";
const bucketOf = (perDoubling: number) =>
  `if(duration > 1, toUInt16(floor(log2(duration) * ${perDoubling})), 0)`;
const takenAway = (sum: string) => `toUInt64(-sum(toInt64(copies) * ${sum}))`;

/** SELECT for counts of spans. @param count SQL of the column `adjusted_count` */
export function selectMetrics(database: string, count: string): string {
  return `SELECT received, tenant, service, ${minuteNumber} AS minute, name, kind, ${bucketOf(8)} AS bucket,
  ${count},
  count() AS calls, countIf(status = 'error') AS errors, sum(toUInt64(greatest(duration, 0))) AS total_duration
FROM ${database}.spans GROUP BY received, tenant, service, minute, name, kind, bucket, adjusted_count`;
}

/** SELECT for calls between services. @param count SQL of the column `adjusted_count` of the called span */
export function selectCalls(database: string, count: string): string {
  return `SELECT received, if(callers.key = 0, called.key, 0) AS pending, tenant, minute, callers.service AS parent, child,
  kind, failed, bucket, adjusted_count,
  toInt64(count()) AS calls, if(pending = 0, toDateTime(0, 'UTC'), now('UTC')) AS arrived
FROM (
  SELECT received, tenant, service AS child, ${minuteNumber} AS minute, kind, status = 'error' AS failed,
    ${bucketOf(callBucketsPerDoubling)} AS bucket, ${count},
    if(parent_span_id = ${noParent}, cityHash64('client', tenant, trace_id, span_id), cityHash64('span', tenant, trace_id, parent_span_id)) AS key
  FROM ${database}.spans
  WHERE parent_span_id != ${noParent} OR (${isOlderFormat} AND kind = 'server')
) AS called
ANY LEFT JOIN (
  SELECT cityHash64('span', tenant, trace_id, span_id) AS key, service FROM ${database}.spans WHERE format = 'otlp'
  UNION ALL
  SELECT cityHash64('span', tenant, trace_id, span_id) AS key, argMax(service, kind != 'client') AS service
  FROM ${database}.spans WHERE ${isOlderFormat} GROUP BY key
  UNION ALL
  SELECT cityHash64('client', tenant, trace_id, span_id) AS key, service
  FROM ${database}.spans WHERE ${isOlderFormat} AND kind = 'client' AND parent_span_id = ${noParent}
) AS callers ON called.key = callers.key
WHERE callers.key = 0 OR callers.service != child
GROUP BY received, pending, tenant, minute, parent, child, kind, failed, bucket, adjusted_count`;
}

/**
 * Adds the number of original spans that a span represents as a key column to the tables that count spans:
 * docs/adr/057-true-counts-under-sampling.md. Sums over this column equal the previous counts; 0, the value in older
 * rows, means unknown. The views equal the views of earlier steps, with this additional column.
 */
export const adjustedCountsMigration: Migration = {
  version: 14,
  name: "adjusted counts",
  statements: (database) => [
    `ALTER TABLE ${database}.span_metrics
  ADD COLUMN IF NOT EXISTS adjusted_count Float64 AFTER bucket,
  MODIFY ORDER BY (tenant, service, minute, name, kind, bucket, adjusted_count)`,
    `ALTER TABLE ${database}.dependency_calls
  ADD COLUMN IF NOT EXISTS adjusted_count Float64 AFTER bucket,
  MODIFY ORDER BY (pending, tenant, minute, parent, child, kind, failed, bucket, adjusted_count)`,
    `ALTER TABLE ${database}.repeated_spans
  ADD COLUMN IF NOT EXISTS adjusted_count Float64 AFTER pending`,
    `ALTER TABLE ${database}.span_metrics_view MODIFY QUERY
${selectMetrics(database, `${adjustedCountSql} AS adjusted_count`)}`,
    `ALTER TABLE ${database}.dependency_calls_view MODIFY QUERY
${selectCalls(database, `${adjustedCountOfChildSql} AS adjusted_count`)}`,
    `ALTER TABLE ${database}.span_metrics_of_repeated_view MODIFY QUERY
SELECT received, tenant, service, minute, name, kind, ${bucketOf(8)} AS bucket, adjusted_count,
  ${takenAway("1")} AS calls, ${takenAway("failed")} AS errors, ${takenAway("greatest(duration, 0)")} AS total_duration
FROM ${database}.repeated_spans GROUP BY received, tenant, service, minute, name, kind, bucket, adjusted_count`,
    `ALTER TABLE ${database}.dependency_calls_of_repeated_view MODIFY QUERY
SELECT received, pending, tenant, minute, '' AS parent, service AS child, kind, failed, ${bucketOf(callBucketsPerDoubling)} AS bucket,
  adjusted_count, -sum(toInt64(copies)) AS calls, now('UTC') AS arrived
FROM ${database}.repeated_spans WHERE pending != 0
GROUP BY received, pending, tenant, minute, child, kind, failed, bucket, adjusted_count`,
  ],
};

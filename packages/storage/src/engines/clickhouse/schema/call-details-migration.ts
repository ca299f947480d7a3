import { callBucketsPerDoubling } from "../../../api/duration-buckets.ts";
import { kinds, minuteNumber, noParent } from "./derived-migration.ts";
import type { Migration } from "./migration.ts";
import { durable } from "./spans-migration.ts";

const isOlderFormat = "format != 'otlp'";
const key = "(pending, tenant, minute, parent, child, kind, failed, bucket)";

/** SELECT for the rows of `dependency_calls`: the statement of derived-migration.ts with three additional columns. */
export function selectCalls(database: string): string {
  return `SELECT received, if(callers.key = 0, called.key, 0) AS pending, tenant, minute, callers.service AS parent, child,
  kind, failed, bucket,
  toInt64(count()) AS calls, if(pending = 0, toDateTime(0, 'UTC'), now('UTC')) AS arrived
FROM (
  SELECT received, tenant, service AS child, ${minuteNumber} AS minute, kind, status = 'error' AS failed,
    if(duration > 1, toUInt16(floor(log2(duration) * ${callBucketsPerDoubling})), 0) AS bucket,
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
GROUP BY received, pending, tenant, minute, parent, child, kind, failed, bucket`;
}

/** Calls between services with details, and the views that fill them from new spans. */
export function detailedCalls(database: string): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${database}.dependency_calls (
  received Date,
  pending UInt64,
  tenant LowCardinality(String),
  minute Int32,
  parent LowCardinality(String),
  child LowCardinality(String),
  calls Int64,
  arrived DateTime('UTC'),
  kind ${kinds},
  failed Bool,
  bucket UInt16
) ENGINE = SummingMergeTree(calls)
PARTITION BY received
ORDER BY ${key}
SETTINGS ${durable}`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.dependency_calls_view TO ${database}.dependency_calls AS
${selectCalls(database)}`,
  ];
}

/**
 * Adds outcome and duration to calls between services, for Prometheus. The columns are the called span's kind, whether
 * it failed, and the bucket of its duration. They stand at the end of the key of `dependency_calls`, so that calls
 * remain sums. Older calls have no details.
 */
export const callDetailsMigration: Migration = {
  version: 7,
  name: "details of calls",
  statements: (database) => [
    `ALTER TABLE ${database}.dependency_calls
  ADD COLUMN IF NOT EXISTS kind ${kinds},
  ADD COLUMN IF NOT EXISTS failed Bool,
  ADD COLUMN IF NOT EXISTS bucket UInt16,
  MODIFY ORDER BY ${key}`,
    `ALTER TABLE ${database}.dependency_calls_view MODIFY QUERY
${selectCalls(database)}`,
  ],
};

import type { Migration } from "./migration.ts";
import { durable } from "./spans-migration.ts";

/** ClickHouse type of a column with the kinds of spans. */
export const kinds =
  "Enum8('unspecified' = 0, 'internal' = 1, 'server' = 2, 'client' = 3, 'producer' = 4, 'consumer' = 5)";

export const minuteNumber = "toInt32(intDiv(toUnixTimestamp64Nano(start), 60000000000))";
export const noParent = "toFixedString('', 8)";
const isOlderFormat = "format != 'otlp'";

/** Table with the minutes in which a trace has spans, and the view that fills it from new spans. */
export function traceMinutes(database: string): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${database}.trace_minutes (
  received Date,
  trace_id FixedString(16) CODEC(NONE),
  minute DateTime('UTC') CODEC(T64, ZSTD(1))
) ENGINE = ReplacingMergeTree
PARTITION BY received
ORDER BY (trace_id, minute)
SETTINGS ${durable}, index_granularity = 1024`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.trace_minutes_view TO ${database}.trace_minutes AS
SELECT DISTINCT received, trace_id, toStartOfMinute(start) AS minute FROM ${database}.spans`,
  ];
}

/** SELECT for counts of spans, as rows of `span_metrics`. */
export function selectMetrics(database: string): string {
  return `SELECT received, tenant, service, ${minuteNumber} AS minute, name, kind,
  if(duration > 1, toUInt16(floor(log2(duration) * 8)), 0) AS bucket,
  count() AS calls, countIf(status = 'error') AS errors, sum(toUInt64(greatest(duration, 0))) AS total_duration
FROM ${database}.spans GROUP BY received, tenant, service, minute, name, kind, bucket`;
}

/** Table with counts of spans, and the views that fill it and `operations` from new spans. */
export function spanMetrics(database: string): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${database}.span_metrics (
  received Date,
  tenant LowCardinality(String),
  service LowCardinality(String),
  minute Int32,
  name LowCardinality(String),
  kind ${kinds},
  bucket UInt16,
  calls UInt64 CODEC(T64, ZSTD(1)),
  errors UInt64 CODEC(T64, ZSTD(1)),
  total_duration UInt64 CODEC(T64, ZSTD(1))
) ENGINE = SummingMergeTree((calls, errors, total_duration))
PARTITION BY received
ORDER BY (tenant, service, minute, name, kind, bucket)
SETTINGS ${durable}`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.span_metrics_view TO ${database}.span_metrics AS
${selectMetrics(database)}`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.operations_of_metrics_view TO ${database}.operations AS
SELECT tenant, service, name, kind, max(received) AS last_received FROM ${database}.span_metrics
GROUP BY tenant, service, name, kind`,
  ];
}

/** Table with calls between services, and the views that fill it from new spans. */
function dependencyCalls(database: string): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${database}.dependency_calls (
  received Date,
  pending UInt64,
  tenant LowCardinality(String),
  minute Int32,
  parent LowCardinality(String),
  child LowCardinality(String),
  calls Int64,
  arrived DateTime('UTC')
) ENGINE = SummingMergeTree(calls)
PARTITION BY received
ORDER BY (pending, tenant, minute, parent, child)
SETTINGS ${durable}`,
    // A server span without a parent that shares its id with a client span is called by that client: see
    // dependency-sql.ts.
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.dependency_calls_view TO ${database}.dependency_calls AS
SELECT received, if(callers.key = 0, called.key, 0) AS pending, tenant, minute, callers.service AS parent, child,
  toInt64(count()) AS calls, if(pending = 0, toDateTime(0, 'UTC'), now('UTC')) AS arrived
FROM (
  SELECT received, tenant, service AS child, ${minuteNumber} AS minute,
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
GROUP BY received, pending, tenant, minute, parent, child`,
  ];
}

/**
 * Tables that are derived from spans as they arrive, and two further changes. Reasons:
 * docs/adr/011-derived-tables.md.
 *
 * - `trace_minutes`: the minutes in which a trace has spans, so that reading the trace reads only these minutes. The
 *   migration fills the table from stored spans; repeated rows are harmless.
 * - `span_metrics`: calls, errors and durations by service, operation, kind, minute and bucket of duration (8 for each
 *   doubling). The table `operations` is derived from this table, because it has a hundredth of the rows. This table
 *   counts only spans that arrive after the migration.
 * - `dependency_calls`: calls between services. A call whose parent came in the same block is counted immediately. For
 *   other calls, `pending` contains the hash of the parent until the parent is found. Then one row adds the call, and
 *   another row cancels the pending row.
 * - `archived_spans`: has the columns of `spans`; a span that is written twice is stored once.
 * - `spans.arrived`, the time of arrival, for following new spans. Older rows have 1970.
 *
 * In the views, `spans` means the arriving block, on both sides of a join.
 */
export const derivedMigration: Migration = {
  version: 4,
  name: "derived tables, archive",
  statements: (database) => [
    `CREATE TABLE IF NOT EXISTS ${database}.archived_spans AS ${database}.spans
ENGINE = ReplacingMergeTree
ORDER BY (trace_id, span_id, service, name, kind, start, tenant)
SETTINGS ${durable}, min_bytes_for_wide_part = 67108864, index_granularity = 512`,
    `ALTER TABLE ${database}.spans
  ADD COLUMN IF NOT EXISTS arrived DateTime('UTC') DEFAULT if(getSetting('insert_deduplication_token') = '', toDateTime(0, 'UTC'), now('UTC')) CODEC(T64, ZSTD(1)) AFTER received,
  ADD INDEX IF NOT EXISTS arrived_index arrived TYPE minmax GRANULARITY 1`,
    ...traceMinutes(database),
    `INSERT INTO ${database}.trace_minutes
SELECT received, trace_id, toStartOfMinute(start) AS minute FROM ${database}.spans`,
    ...spanMetrics(database),
    `DROP VIEW IF EXISTS ${database}.operations_view SYNC`,
    ...dependencyCalls(database),
  ],
};

import type { Migration } from "./migration.ts";

const attributeTypes =
  "Enum8('empty' = 0, 'string' = 1, 'bool' = 2, 'int' = 3, 'double' = 4, 'array' = 5, 'kvlist' = 6, 'bytes' = 7)";
const attributes = `Array(Tuple(key LowCardinality(String), type ${attributeTypes}, value String))`;
/** Type of attribute lists as writers send them, also for scopes, events and links. */
export const plainAttributes = `Array(Tuple(key String, type ${attributeTypes}, value String))`;

/**
 * Settings with the deduplication window that `WriteOptions.deduplicationToken` promises. Each table has a separate
 * window.
 */
export const durable =
  "non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1";

/**
 * Tables with one row for each span, and with the operations of each service. Reasons and measurements:
 * docs/adr/003-clickhouse-schema.md. In short:
 *
 * - `in_*` columns are not stored. Rows are parsed into plain strings and converted to dictionaries a block at a
 *   time. That takes a third of the time of parsing into dictionaries.
 * - The partition is the day of arrival, with which the writer begins the deduplication token. A repeated block must go
 *   to the same partition, or it is stored twice.
 * - Each index uses one column only, because an index over several columns makes merges twice as expensive.
 */
export const spansMigration: Migration = {
  version: 1,
  name: "spans and operations",
  statements: (database) => [
    `CREATE TABLE IF NOT EXISTS ${database}.spans (
  in_service String EPHEMERAL,
  in_resource_attributes ${plainAttributes} EPHEMERAL,
  in_scope_name String EPHEMERAL,
  in_scope_version String EPHEMERAL,
  in_name String EPHEMERAL,
  in_attributes ${plainAttributes} EPHEMERAL,
  received Date DEFAULT ifNull(toDateOrNull(substring(getSetting('insert_deduplication_token'), 1, 10)), today()),
  format Enum8('otlp' = 0, 'proto' = 1, 'jaeger' = 2, 'zipkin' = 3),
  service LowCardinality(String) DEFAULT in_service CODEC(ZSTD(1)),
  resource_attributes ${attributes} DEFAULT in_resource_attributes CODEC(ZSTD(1)),
  resource_dropped_attributes UInt32 CODEC(ZSTD(1)),
  resource_schema_url LowCardinality(String) CODEC(ZSTD(1)),
  scope_name LowCardinality(String) DEFAULT in_scope_name CODEC(ZSTD(1)),
  scope_version LowCardinality(String) DEFAULT in_scope_version CODEC(ZSTD(1)),
  scope_attributes ${plainAttributes} CODEC(ZSTD(1)),
  scope_dropped_attributes UInt32 CODEC(ZSTD(1)),
  scope_schema_url LowCardinality(String) CODEC(ZSTD(1)),
  trace_id FixedString(16) CODEC(ZSTD(1)),
  span_id FixedString(8) CODEC(NONE),
  parent_span_id FixedString(8) CODEC(ZSTD(1)),
  trace_state String CODEC(ZSTD(1)),
  flags UInt32 CODEC(ZSTD(1)),
  name LowCardinality(String) DEFAULT in_name CODEC(ZSTD(1)),
  kind Enum8('unspecified' = 0, 'internal' = 1, 'server' = 2, 'client' = 3, 'producer' = 4, 'consumer' = 5) CODEC(ZSTD(1)),
  start DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
  duration Int64 CODEC(T64, ZSTD(1)),
  status Enum8('unset' = 0, 'ok' = 1, 'error' = 2) CODEC(ZSTD(1)),
  status_message String CODEC(ZSTD(1)),
  attributes ${attributes} DEFAULT in_attributes CODEC(ZSTD(1)),
  dropped_attributes UInt32 CODEC(ZSTD(1)),
  events Array(Tuple(time DateTime64(9, 'UTC'), name String, attributes ${plainAttributes}, dropped_attributes UInt32)) CODEC(ZSTD(1)),
  dropped_events UInt32 CODEC(ZSTD(1)),
  links Array(Tuple(trace_id FixedString(16), span_id FixedString(8), trace_state String, attributes ${plainAttributes}, dropped_attributes UInt32, flags UInt32, ref_type Enum8('none' = 0, 'child_of' = 1, 'follows_from' = 2))) CODEC(ZSTD(1)),
  dropped_links UInt32 CODEC(ZSTD(1)),
  warnings Array(String) CODEC(ZSTD(1)),
  INDEX trace_id_index trace_id TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX start_index start TYPE minmax GRANULARITY 1,
  INDEX duration_index duration TYPE minmax GRANULARITY 1,
  INDEX attributes_index arrayMap(a -> cityHash64(a.1, a.3), attributes) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX resource_attributes_index arrayMap(a -> cityHash64(a.1, a.3), resource_attributes) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX events_index arrayFlatten(arrayMap(e -> arrayMap(a -> cityHash64(a.1, a.3), e.3), events)) TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = MergeTree
PARTITION BY received
ORDER BY (service, toStartOfMinute(start), trace_id)
SETTINGS ${durable}, merge_selector_base = 10, min_bytes_for_wide_part = 67108864, index_granularity = 4096`,
    `CREATE TABLE IF NOT EXISTS ${database}.operations (
  service LowCardinality(String),
  name String,
  kind Enum8('unspecified' = 0, 'internal' = 1, 'server' = 2, 'client' = 3, 'producer' = 4, 'consumer' = 5),
  last_received SimpleAggregateFunction(max, Date)
) ENGINE = AggregatingMergeTree
ORDER BY (service, name, kind)
SETTINGS ${durable}`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.operations_view TO ${database}.operations AS
SELECT service, name, kind, max(received) AS last_received FROM ${database}.spans GROUP BY service, name, kind`,
  ],
};

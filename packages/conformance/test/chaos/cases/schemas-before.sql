CREATE DATABASE IF NOT EXISTS tracing;

CREATE TABLE IF NOT EXISTS tracing.schema_migrations (version UInt32, name String, applied DateTime('UTC') DEFAULT now()) ENGINE = MergeTree ORDER BY version SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS tracing.spans (
  in_service String EPHEMERAL,
  in_resource_attributes Array(Tuple(key String, type Enum8('empty' = 0, 'string' = 1, 'bool' = 2, 'int' = 3, 'double' = 4, 'array' = 5, 'kvlist' = 6, 'bytes' = 7), value String)) EPHEMERAL,
  in_scope_name String EPHEMERAL,
  in_scope_version String EPHEMERAL,
  in_name String EPHEMERAL,
  in_attributes Array(Tuple(key String, type Enum8('empty' = 0, 'string' = 1, 'bool' = 2, 'int' = 3, 'double' = 4, 'array' = 5, 'kvlist' = 6, 'bytes' = 7), value String)) EPHEMERAL,
  received Date DEFAULT ifNull(toDateOrNull(substring(getSetting('insert_deduplication_token'), 1, 10)), today()),
  format Enum8('otlp' = 0, 'proto' = 1, 'jaeger' = 2, 'zipkin' = 3),
  service LowCardinality(String) DEFAULT in_service CODEC(ZSTD(1)),
  resource_attributes Array(Tuple(key LowCardinality(String), type Enum8('empty' = 0, 'string' = 1, 'bool' = 2, 'int' = 3, 'double' = 4, 'array' = 5, 'kvlist' = 6, 'bytes' = 7), value String)) DEFAULT in_resource_attributes CODEC(ZSTD(1)),
  resource_dropped_attributes UInt32 CODEC(ZSTD(1)),
  resource_schema_url LowCardinality(String) CODEC(ZSTD(1)),
  scope_name LowCardinality(String) DEFAULT in_scope_name CODEC(ZSTD(1)),
  scope_version LowCardinality(String) DEFAULT in_scope_version CODEC(ZSTD(1)),
  scope_attributes Array(Tuple(key String, type Enum8('empty' = 0, 'string' = 1, 'bool' = 2, 'int' = 3, 'double' = 4, 'array' = 5, 'kvlist' = 6, 'bytes' = 7), value String)) CODEC(ZSTD(1)),
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
  attributes Array(Tuple(key LowCardinality(String), type Enum8('empty' = 0, 'string' = 1, 'bool' = 2, 'int' = 3, 'double' = 4, 'array' = 5, 'kvlist' = 6, 'bytes' = 7), value String)) DEFAULT in_attributes CODEC(ZSTD(1)),
  dropped_attributes UInt32 CODEC(ZSTD(1)),
  events Array(Tuple(time DateTime64(9, 'UTC'), name String, attributes Array(Tuple(key String, type Enum8('empty' = 0, 'string' = 1, 'bool' = 2, 'int' = 3, 'double' = 4, 'array' = 5, 'kvlist' = 6, 'bytes' = 7), value String)), dropped_attributes UInt32)) CODEC(ZSTD(1)),
  dropped_events UInt32 CODEC(ZSTD(1)),
  links Array(Tuple(trace_id FixedString(16), span_id FixedString(8), trace_state String, attributes Array(Tuple(key String, type Enum8('empty' = 0, 'string' = 1, 'bool' = 2, 'int' = 3, 'double' = 4, 'array' = 5, 'kvlist' = 6, 'bytes' = 7), value String)), dropped_attributes UInt32, flags UInt32, ref_type Enum8('none' = 0, 'child_of' = 1, 'follows_from' = 2))) CODEC(ZSTD(1)),
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
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, merge_selector_base = 10, min_bytes_for_wide_part = 67108864, index_granularity = 4096;

CREATE TABLE IF NOT EXISTS tracing.operations (
  service LowCardinality(String),
  name String,
  kind Enum8('unspecified' = 0, 'internal' = 1, 'server' = 2, 'client' = 3, 'producer' = 4, 'consumer' = 5),
  last_received SimpleAggregateFunction(max, Date)
) ENGINE = AggregatingMergeTree
ORDER BY (service, name, kind)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tracing.operations_view TO tracing.operations AS
SELECT service, name, kind, max(received) AS last_received FROM tracing.spans GROUP BY service, name, kind;

INSERT INTO tracing.schema_migrations (version, name) SELECT 1, 'spans and operations';

ALTER TABLE tracing.spans
  ADD COLUMN IF NOT EXISTS in_tenant String EPHEMERAL,
  ADD COLUMN IF NOT EXISTS tenant LowCardinality(String) DEFAULT in_tenant CODEC(ZSTD(1)) AFTER received;

ALTER TABLE tracing.operations
  ADD COLUMN IF NOT EXISTS tenant LowCardinality(String),
  MODIFY ORDER BY (service, name, kind, tenant);

ALTER TABLE tracing.operations_view MODIFY QUERY
SELECT tenant, service, name, kind, max(received) AS last_received FROM tracing.spans
GROUP BY tenant, service, name, kind;

INSERT INTO tracing.schema_migrations (version, name) SELECT 2, 'tenants';

CREATE TABLE IF NOT EXISTS tracing.operation_throughput (
  taken DateTime64(3, 'UTC'),
  service String,
  operation String,
  count UInt64,
  probabilities Array(String)
) ENGINE = MergeTree
ORDER BY taken
PARTITION BY toDate(taken)
TTL toDateTime(taken) + INTERVAL 2 DAY
SETTINGS ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS tracing.sampling_probabilities (
  calculated DateTime64(3, 'UTC'),
  owner String,
  services Array(String),
  operations Array(String),
  probabilities Array(Float64),
  qps Array(Float64)
) ENGINE = MergeTree
ORDER BY calculated
PARTITION BY toDate(calculated)
TTL toDateTime(calculated) + INTERVAL 2 DAY
SETTINGS ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS tracing.leases (
  name String,
  owner String,
  updated DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC'),
  ttl_ms UInt64,
  since DateTime64(6, 'UTC') DEFAULT updated,
  ends DateTime64(6, 'UTC') DEFAULT updated + toIntervalMillisecond(ttl_ms)
) ENGINE = ReplacingMergeTree(updated)
ORDER BY (name, owner)
TTL toDateTime(updated) + INTERVAL 2 DAY;

INSERT INTO tracing.schema_migrations (version, name) SELECT 3, 'sampling';

CREATE TABLE IF NOT EXISTS tracing.archived_spans AS tracing.spans
ENGINE = ReplacingMergeTree
ORDER BY (trace_id, span_id, service, name, kind, start, tenant)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 67108864, index_granularity = 512;

ALTER TABLE tracing.spans
  ADD COLUMN IF NOT EXISTS arrived DateTime('UTC') DEFAULT if(getSetting('insert_deduplication_token') = '', toDateTime(0, 'UTC'), now('UTC')) CODEC(T64, ZSTD(1)) AFTER received,
  ADD INDEX IF NOT EXISTS arrived_index arrived TYPE minmax GRANULARITY 1;

CREATE TABLE IF NOT EXISTS tracing.trace_minutes (
  received Date,
  trace_id FixedString(16) CODEC(NONE),
  minute DateTime('UTC') CODEC(T64, ZSTD(1))
) ENGINE = ReplacingMergeTree
PARTITION BY received
ORDER BY (trace_id, minute)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 1024;

CREATE MATERIALIZED VIEW IF NOT EXISTS tracing.trace_minutes_view TO tracing.trace_minutes AS
SELECT DISTINCT received, trace_id, toStartOfMinute(start) AS minute FROM tracing.spans;

INSERT INTO tracing.trace_minutes
SELECT received, trace_id, toStartOfMinute(start) AS minute FROM tracing.spans;

CREATE TABLE IF NOT EXISTS tracing.span_metrics (
  received Date,
  tenant LowCardinality(String),
  service LowCardinality(String),
  minute Int32,
  name LowCardinality(String),
  kind Enum8('unspecified' = 0, 'internal' = 1, 'server' = 2, 'client' = 3, 'producer' = 4, 'consumer' = 5),
  bucket UInt16,
  calls UInt64 CODEC(T64, ZSTD(1)),
  errors UInt64 CODEC(T64, ZSTD(1)),
  total_duration UInt64 CODEC(T64, ZSTD(1))
) ENGINE = SummingMergeTree((calls, errors, total_duration))
PARTITION BY received
ORDER BY (tenant, service, minute, name, kind, bucket)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tracing.span_metrics_view TO tracing.span_metrics AS
SELECT received, tenant, service, toInt32(intDiv(toUnixTimestamp64Nano(start), 60000000000)) AS minute, name, kind,
  if(duration > 1, toUInt16(floor(log2(duration) * 8)), 0) AS bucket,
  count() AS calls, countIf(status = 'error') AS errors, sum(toUInt64(greatest(duration, 0))) AS total_duration
FROM tracing.spans GROUP BY received, tenant, service, minute, name, kind, bucket;

CREATE MATERIALIZED VIEW IF NOT EXISTS tracing.operations_of_metrics_view TO tracing.operations AS
SELECT tenant, service, name, kind, max(received) AS last_received FROM tracing.span_metrics
GROUP BY tenant, service, name, kind;

DROP VIEW IF EXISTS tracing.operations_view SYNC;

CREATE TABLE IF NOT EXISTS tracing.dependency_calls (
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
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tracing.dependency_calls_view TO tracing.dependency_calls AS
SELECT received, if(callers.key = 0, called.key, 0) AS pending, tenant, minute, callers.service AS parent, child,
  toInt64(count()) AS calls, if(pending = 0, toDateTime(0, 'UTC'), now('UTC')) AS arrived
FROM (
  SELECT received, tenant, service AS child, toInt32(intDiv(toUnixTimestamp64Nano(start), 60000000000)) AS minute,
    if(parent_span_id = toFixedString('', 8), cityHash64('client', tenant, trace_id, span_id), cityHash64('span', tenant, trace_id, parent_span_id)) AS key
  FROM tracing.spans
  WHERE parent_span_id != toFixedString('', 8) OR (format != 'otlp' AND kind = 'server')
) AS called
ANY LEFT JOIN (
  SELECT cityHash64('span', tenant, trace_id, span_id) AS key, service FROM tracing.spans WHERE format = 'otlp'
  UNION ALL
  SELECT cityHash64('span', tenant, trace_id, span_id) AS key, argMax(service, kind != 'client') AS service
  FROM tracing.spans WHERE format != 'otlp' GROUP BY key
  UNION ALL
  SELECT cityHash64('client', tenant, trace_id, span_id) AS key, service
  FROM tracing.spans WHERE format != 'otlp' AND kind = 'client' AND parent_span_id = toFixedString('', 8)
) AS callers ON called.key = callers.key
WHERE callers.key = 0 OR callers.service != child
GROUP BY received, pending, tenant, minute, parent, child;

INSERT INTO tracing.schema_migrations (version, name) SELECT 4, 'derived tables, archive';

ALTER TABLE tracing.spans MODIFY SETTING min_bytes_for_wide_part = 2147483648;

ALTER TABLE tracing.archived_spans MODIFY SETTING min_bytes_for_wide_part = 2147483648;

INSERT INTO tracing.schema_migrations (version, name) SELECT 5, 'compact parts';

ALTER TABLE tracing.spans
  ADD COLUMN IF NOT EXISTS in_resource_text String EPHEMERAL,
  ADD COLUMN IF NOT EXISTS resource_text LowCardinality(String) DEFAULT if(in_resource_text = '', if(empty(resource_attributes), '', concat(arrayStringConcat(arrayMap(a -> concat('\xFF', a.1, '\xFE', substring('esbidakx', CAST(a.2, 'Int8') + 1, 1), a.3), resource_attributes)), '\xFF')), in_resource_text) CODEC(ZSTD(1)),
  ADD COLUMN IF NOT EXISTS attribute_text String DEFAULT if(empty(attributes), '', concat(arrayStringConcat(arrayMap(a -> concat('\xFF', a.1, '\xFE', substring('esbidakx', CAST(a.2, 'Int8') + 1, 1), a.3), attributes)), '\xFF')) CODEC(ZSTD(1));

ALTER TABLE tracing.archived_spans
  ADD COLUMN IF NOT EXISTS in_resource_text String EPHEMERAL,
  ADD COLUMN IF NOT EXISTS resource_text LowCardinality(String) DEFAULT if(in_resource_text = '', if(empty(resource_attributes), '', concat(arrayStringConcat(arrayMap(a -> concat('\xFF', a.1, '\xFE', substring('esbidakx', CAST(a.2, 'Int8') + 1, 1), a.3), resource_attributes)), '\xFF')), in_resource_text) CODEC(ZSTD(1)),
  ADD COLUMN IF NOT EXISTS attribute_text String DEFAULT if(empty(attributes), '', concat(arrayStringConcat(arrayMap(a -> concat('\xFF', a.1, '\xFE', substring('esbidakx', CAST(a.2, 'Int8') + 1, 1), a.3), attributes)), '\xFF')) CODEC(ZSTD(1));

ALTER TABLE tracing.spans
  ADD INDEX IF NOT EXISTS attribute_text_index splitByChar('\xFF', attribute_text) TYPE bloom_filter(0.01) GRANULARITY 1,
  ADD INDEX IF NOT EXISTS resource_text_index splitByChar('\xFF', resource_text) TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE tracing.spans
  DROP INDEX IF EXISTS attributes_index, DROP INDEX IF EXISTS resource_attributes_index SETTINGS mutations_sync = 0, alter_sync = 0;

ALTER TABLE tracing.archived_spans
  DROP INDEX IF EXISTS attributes_index, DROP INDEX IF EXISTS resource_attributes_index SETTINGS mutations_sync = 0, alter_sync = 0;

ALTER TABLE tracing.spans
  MATERIALIZE INDEX attribute_text_index, MATERIALIZE INDEX resource_text_index SETTINGS mutations_sync = 0, alter_sync = 0;

INSERT INTO tracing.schema_migrations (version, name) SELECT 6, 'attributes as text';

ALTER TABLE tracing.dependency_calls
  ADD COLUMN IF NOT EXISTS kind Enum8('unspecified' = 0, 'internal' = 1, 'server' = 2, 'client' = 3, 'producer' = 4, 'consumer' = 5),
  ADD COLUMN IF NOT EXISTS failed Bool,
  ADD COLUMN IF NOT EXISTS bucket UInt16,
  MODIFY ORDER BY (pending, tenant, minute, parent, child, kind, failed, bucket);

ALTER TABLE tracing.dependency_calls_view MODIFY QUERY
SELECT received, if(callers.key = 0, called.key, 0) AS pending, tenant, minute, callers.service AS parent, child,
  kind, failed, bucket,
  toInt64(count()) AS calls, if(pending = 0, toDateTime(0, 'UTC'), now('UTC')) AS arrived
FROM (
  SELECT received, tenant, service AS child, toInt32(intDiv(toUnixTimestamp64Nano(start), 60000000000)) AS minute, kind, status = 'error' AS failed,
    if(duration > 1, toUInt16(floor(log2(duration) * 4)), 0) AS bucket,
    if(parent_span_id = toFixedString('', 8), cityHash64('client', tenant, trace_id, span_id), cityHash64('span', tenant, trace_id, parent_span_id)) AS key
  FROM tracing.spans
  WHERE parent_span_id != toFixedString('', 8) OR (format != 'otlp' AND kind = 'server')
) AS called
ANY LEFT JOIN (
  SELECT cityHash64('span', tenant, trace_id, span_id) AS key, service FROM tracing.spans WHERE format = 'otlp'
  UNION ALL
  SELECT cityHash64('span', tenant, trace_id, span_id) AS key, argMax(service, kind != 'client') AS service
  FROM tracing.spans WHERE format != 'otlp' GROUP BY key
  UNION ALL
  SELECT cityHash64('client', tenant, trace_id, span_id) AS key, service
  FROM tracing.spans WHERE format != 'otlp' AND kind = 'client' AND parent_span_id = toFixedString('', 8)
) AS callers ON called.key = callers.key
WHERE callers.key = 0 OR callers.service != child
GROUP BY received, pending, tenant, minute, parent, child, kind, failed, bucket;

INSERT INTO tracing.schema_migrations (version, name) SELECT 7, 'details of calls';

ALTER TABLE tracing.spans
  ADD INDEX IF NOT EXISTS attribute_hash_index arrayMap(e -> cityHash64(e), splitByChar('\xFF', attribute_text)) TYPE bloom_filter(0.01) GRANULARITY 1,
  ADD INDEX IF NOT EXISTS resource_hash_index arrayMap(e -> cityHash64(e), splitByChar('\xFF', resource_text)) TYPE bloom_filter(0.01) GRANULARITY 1,
  ADD INDEX IF NOT EXISTS attribute_array_index if(position(attribute_text, '\xFEa') = 0, emptyArrayString(), arrayMap(e -> substring(e, 1, position(e, '\xFEa') - 1), arrayFilter(e -> position(e, '\xFEa') > 0, splitByChar('\xFF', attribute_text)))) TYPE bloom_filter(0.01) GRANULARITY 1,
  ADD INDEX IF NOT EXISTS resource_array_index if(position(resource_text, '\xFEa') = 0, emptyArrayString(), arrayMap(e -> substring(e, 1, position(e, '\xFEa') - 1), arrayFilter(e -> position(e, '\xFEa') > 0, splitByChar('\xFF', resource_text)))) TYPE bloom_filter(0.01) GRANULARITY 1;

KILL MUTATION WHERE database = 'tracing' AND table IN ('spans', 'spans_local') AND NOT is_done AND command LIKE '%MATERIALIZE INDEX %_text_index%';

ALTER TABLE tracing.spans
  DROP INDEX IF EXISTS attribute_text_index, DROP INDEX IF EXISTS resource_text_index SETTINGS mutations_sync = 0, alter_sync = 0;

ALTER TABLE tracing.spans
  MATERIALIZE INDEX attribute_hash_index, MATERIALIZE INDEX resource_hash_index, MATERIALIZE INDEX attribute_array_index, MATERIALIZE INDEX resource_array_index SETTINGS mutations_sync = 0, alter_sync = 0;

INSERT INTO tracing.schema_migrations (version, name) SELECT 8, 'attributes indexed by hash';

ALTER TABLE tracing.operations_of_metrics_view MODIFY QUERY
SELECT tenant, service, name, kind, max(received) AS last_received FROM tracing.span_metrics
WHERE (tenant, service, name, kind, received) NOT IN (SELECT tenant, service, name, kind, last_received FROM tracing.operations LIMIT 10000)
GROUP BY tenant, service, name, kind;

INSERT INTO tracing.schema_migrations (version, name) SELECT 9, 'operations that are new';

ALTER TABLE tracing.spans ADD COLUMN IF NOT EXISTS span_details String DEFAULT if(resource_dropped_attributes = 0 AND empty(scope_attributes) AND scope_dropped_attributes = 0 AND dropped_attributes = 0 AND dropped_events = 0 AND dropped_links = 0 AND empty(warnings), if(empty(links), '', if(length(links) = 1 AND arrayExists(l -> l.1 = trace_id AND l.2 = parent_span_id AND l.3 = '' AND empty(l.4) AND l.5 = 0 AND l.6 = 0 AND l.7 = 'child_of', links), 'parent', toString(tuple(resource_dropped_attributes, scope_attributes, scope_dropped_attributes, dropped_attributes, dropped_events, links, dropped_links, warnings)))), toString(tuple(resource_dropped_attributes, scope_attributes, scope_dropped_attributes, dropped_attributes, dropped_events, links, dropped_links, warnings))) CODEC(ZSTD(1));

ALTER TABLE tracing.spans MATERIALIZE COLUMN span_details SETTINGS mutations_sync = 0, alter_sync = 0;

ALTER TABLE tracing.archived_spans ADD COLUMN IF NOT EXISTS span_details String DEFAULT if(resource_dropped_attributes = 0 AND empty(scope_attributes) AND scope_dropped_attributes = 0 AND dropped_attributes = 0 AND dropped_events = 0 AND dropped_links = 0 AND empty(warnings), if(empty(links), '', if(length(links) = 1 AND arrayExists(l -> l.1 = trace_id AND l.2 = parent_span_id AND l.3 = '' AND empty(l.4) AND l.5 = 0 AND l.6 = 0 AND l.7 = 'child_of', links), 'parent', toString(tuple(resource_dropped_attributes, scope_attributes, scope_dropped_attributes, dropped_attributes, dropped_events, links, dropped_links, warnings)))), toString(tuple(resource_dropped_attributes, scope_attributes, scope_dropped_attributes, dropped_attributes, dropped_events, links, dropped_links, warnings))) CODEC(ZSTD(1));

ALTER TABLE tracing.archived_spans MATERIALIZE COLUMN span_details SETTINGS mutations_sync = 0, alter_sync = 0;

INSERT INTO tracing.schema_migrations (version, name) SELECT 10, 'what few spans have as one text';

ALTER TABLE tracing.spans MODIFY COLUMN arrived CODEC(T64, LZ4), MODIFY COLUMN tenant CODEC(LZ4), MODIFY COLUMN service CODEC(LZ4), MODIFY COLUMN resource_text CODEC(LZ4), MODIFY COLUMN resource_schema_url CODEC(LZ4), MODIFY COLUMN scope_name CODEC(LZ4), MODIFY COLUMN scope_version CODEC(LZ4), MODIFY COLUMN scope_schema_url CODEC(LZ4), MODIFY COLUMN parent_span_id CODEC(LZ4), MODIFY COLUMN trace_state CODEC(LZ4), MODIFY COLUMN flags CODEC(LZ4), MODIFY COLUMN name CODEC(LZ4), MODIFY COLUMN kind CODEC(LZ4), MODIFY COLUMN start CODEC(T64), MODIFY COLUMN duration CODEC(T64, LZ4), MODIFY COLUMN status CODEC(LZ4), MODIFY COLUMN status_message CODEC(LZ4);

ALTER TABLE tracing.archived_spans MODIFY COLUMN tenant CODEC(LZ4), MODIFY COLUMN service CODEC(LZ4), MODIFY COLUMN resource_text CODEC(LZ4), MODIFY COLUMN resource_schema_url CODEC(LZ4), MODIFY COLUMN scope_name CODEC(LZ4), MODIFY COLUMN scope_version CODEC(LZ4), MODIFY COLUMN scope_schema_url CODEC(LZ4), MODIFY COLUMN parent_span_id CODEC(LZ4), MODIFY COLUMN trace_state CODEC(LZ4), MODIFY COLUMN flags CODEC(LZ4), MODIFY COLUMN name CODEC(LZ4), MODIFY COLUMN kind CODEC(LZ4), MODIFY COLUMN start CODEC(T64), MODIFY COLUMN duration CODEC(T64, LZ4), MODIFY COLUMN status CODEC(LZ4), MODIFY COLUMN status_message CODEC(LZ4);

INSERT INTO tracing.schema_migrations (version, name) SELECT 11, 'codecs';

ALTER TABLE tracing.spans
  ADD COLUMN IF NOT EXISTS scope_text LowCardinality(String) DEFAULT concat(scope_name, '\xFF', scope_version, '\xFF', scope_schema_url, '\xFF', resource_schema_url) CODEC(LZ4),
  ADD COLUMN IF NOT EXISTS event_text String DEFAULT arrayStringConcat(arrayMap(e -> concat('\xFD', toString(toUnixTimestamp64Nano(e.1)), '\xFC', e.2, if(empty(e.3), '', concat(arrayStringConcat(arrayMap(a -> concat('\xFF', a.1, '\xFE', substring('esbidakx', CAST(a.2, 'Int8') + 1, 1), a.3), e.3)), '\xFF')), if(e.4 = 0, '', concat('\xFC', toString(e.4)))), events)) CODEC(ZSTD(1));

ALTER TABLE tracing.archived_spans
  ADD COLUMN IF NOT EXISTS scope_text LowCardinality(String) DEFAULT concat(scope_name, '\xFF', scope_version, '\xFF', scope_schema_url, '\xFF', resource_schema_url) CODEC(LZ4),
  ADD COLUMN IF NOT EXISTS event_text String DEFAULT arrayStringConcat(arrayMap(e -> concat('\xFD', toString(toUnixTimestamp64Nano(e.1)), '\xFC', e.2, if(empty(e.3), '', concat(arrayStringConcat(arrayMap(a -> concat('\xFF', a.1, '\xFE', substring('esbidakx', CAST(a.2, 'Int8') + 1, 1), a.3), e.3)), '\xFF')), if(e.4 = 0, '', concat('\xFC', toString(e.4)))), events)) CODEC(ZSTD(1));

ALTER TABLE tracing.spans ADD INDEX IF NOT EXISTS event_hash_index arrayMap(e -> cityHash64(e), splitByChar('\xFF', event_text)) TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE tracing.spans MATERIALIZE COLUMN scope_text, MATERIALIZE COLUMN event_text, MATERIALIZE INDEX event_hash_index SETTINGS mutations_sync = 0, alter_sync = 0;

ALTER TABLE tracing.archived_spans MATERIALIZE COLUMN scope_text, MATERIALIZE COLUMN event_text SETTINGS mutations_sync = 0, alter_sync = 0;

ALTER TABLE tracing.spans DROP INDEX IF EXISTS events_index SETTINGS mutations_sync = 0, alter_sync = 0;

ALTER TABLE tracing.archived_spans DROP INDEX IF EXISTS events_index SETTINGS mutations_sync = 0, alter_sync = 0;

INSERT INTO tracing.schema_migrations (version, name) SELECT 12, 'events and scopes as texts';

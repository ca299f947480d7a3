import { adjustedCountsMigration } from "./adjusted-counts-migration.ts";
import { hashIndexes } from "./attribute-hash-migration.ts";
import { textOf } from "./attribute-text-migration.ts";
import { detailedCalls } from "./call-details-migration.ts";
import { arrivedCodec, codecs } from "./codecs-migration.ts";
import { kinds, spanMetrics, traceMinutes } from "./derived-migration.ts";
import { eventIndex, eventsType, eventTextColumn, scopeTextColumn } from "./event-text-migration.ts";
import { withFinalViews } from "./final-views.ts";
import type { Migration } from "./migration.ts";
import { newOperationsMigration } from "./new-operations-migration.ts";
import { repeatedSpansMigration } from "./repeated-spans-migration.ts";
import { samplingMigration } from "./sampling-migration.ts";
import { sentCountColumn, unusedCountColumn, viewsOfSentCounts } from "./sent-counts-migration.ts";
import { detailColumns, spanDetails } from "./span-details-migration.ts";
import { durable, plainAttributes } from "./spans-migration.ts";

/** The detail columns that writers send, and the text computed from them. */
const sentDetails = Object.entries(detailColumns)
  .map(([name, type]) => `${name} ${type} EPHEMERAL`)
  .join(",\n  ");

/** Writes the columns that `spans` and `archived_spans` share. The migrations explain each column. */
function spanTable(arrived: string, count: string, indexes: readonly string[]): string {
  return `(
  in_tenant String EPHEMERAL,
  in_service String EPHEMERAL,
  in_resource_text String EPHEMERAL,
  in_resource_attributes ${plainAttributes} EPHEMERAL,
  in_scope_name String EPHEMERAL,
  in_scope_version String EPHEMERAL,
  resource_schema_url String EPHEMERAL,
  scope_name String EPHEMERAL in_scope_name,
  scope_version String EPHEMERAL in_scope_version,
  scope_schema_url String EPHEMERAL,
  in_name String EPHEMERAL,
  in_attributes ${plainAttributes} EPHEMERAL,
  events ${eventsType} EPHEMERAL,
  ${sentDetails},
  received Date DEFAULT ifNull(toDateOrNull(substring(getSetting('insert_deduplication_token'), 1, 10)), today()),
  ${arrived}tenant LowCardinality(String) DEFAULT in_tenant CODEC(${codecs.tenant}),
  format Enum8('otlp' = 0, 'proto' = 1, 'jaeger' = 2, 'zipkin' = 3),
  service LowCardinality(String) DEFAULT in_service CODEC(${codecs.service}),
  resource_text LowCardinality(String) DEFAULT if(in_resource_text = '', ${textOf("in_resource_attributes")}, in_resource_text) CODEC(${codecs.resource_text}),
  ${scopeTextColumn},
  trace_id FixedString(16) CODEC(ZSTD(1)),
  span_id FixedString(8) CODEC(NONE),
  parent_span_id FixedString(8) CODEC(${codecs.parent_span_id}),
  trace_state String CODEC(${codecs.trace_state}),
  flags UInt32 CODEC(${codecs.flags}),
  name LowCardinality(String) DEFAULT in_name CODEC(${codecs.name}),
  kind ${kinds} CODEC(${codecs.kind}),
  start DateTime64(9, 'UTC') CODEC(${codecs.start}),
  duration Int64 CODEC(${codecs.duration}),
  status Enum8('unset' = 0, 'ok' = 1, 'error' = 2) CODEC(${codecs.status}),
  status_message String CODEC(${codecs.status_message}),
  attribute_text String DEFAULT ${textOf("in_attributes")} CODEC(ZSTD(1)),
  ${eventTextColumn},
  ${spanDetails},
  ${count},
  INDEX trace_id_index trace_id TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX start_index start TYPE minmax GRANULARITY 1,
  INDEX duration_index duration TYPE minmax GRANULARITY 1${indexes.map((index) => `,\n  INDEX ${index} GRANULARITY 1`).join("")}
)`;
}

/**
 * Creates all tables of version 15 directly in an empty database. The steps before version 15 add columns and indexes
 * and change stored data, which an empty database does not need. Replicas also refuse to drop a column while another
 * replica is still changing a column. Two processes that run at the same time create the same tables.
 *
 * The tables lack the arrays `attributes` and `resource_attributes`, which only older rows have, because two empty
 * arrays cost a tenth of an insert. Older collectors still send these arrays, from which the texts are computed.
 * Events, scopes and rare fields are sent in columns that are not stored, except for their texts.
 *
 * Spans of a service and minute keep their order of arrival. Older tables order spans by trace id, which no statement
 * can change: docs/adr/040-order-of-spans.md. Granules have 2,048 rows; older tables keep granules of 4,096 rows,
 * because no statement can change this: docs/adr/043-point-reads.md.
 */
export const newDatabase: Migration = {
  version: 15,
  name: "new database",
  statements: (database) =>
    withFinalViews([
      `CREATE TABLE IF NOT EXISTS ${database}.spans ${spanTable(
        `arrived DateTime('UTC') DEFAULT if(getSetting('insert_deduplication_token') = '', toDateTime(0, 'UTC'), now('UTC')) CODEC(${arrivedCodec}),\n  `,
        sentCountColumn,
        [
          "arrived_index arrived TYPE minmax",
          ...[eventIndex, ...hashIndexes].map(
            ([name, expression]) => `${name} ${expression} TYPE bloom_filter(0.01)`,
          ),
        ],
      )} ENGINE = MergeTree
PARTITION BY received
ORDER BY (service, toStartOfMinute(start))
SETTINGS ${durable}, merge_selector_base = 10, min_bytes_for_wide_part = 2147483648, index_granularity = 2048`,
      `CREATE TABLE IF NOT EXISTS ${database}.archived_spans ${spanTable("", unusedCountColumn, [])} ENGINE = ReplacingMergeTree
PARTITION BY received
ORDER BY (trace_id, span_id, service, name, kind, start, tenant)
SETTINGS ${durable}, min_bytes_for_wide_part = 2147483648, index_granularity = 512`,
      `CREATE TABLE IF NOT EXISTS ${database}.operations (
  service LowCardinality(String),
  name String,
  kind ${kinds},
  last_received SimpleAggregateFunction(max, Date),
  tenant LowCardinality(String)
) ENGINE = AggregatingMergeTree
ORDER BY (service, name, kind, tenant)
SETTINGS ${durable}`,
      ...samplingMigration.statements(database),
      ...traceMinutes(database),
      ...spanMetrics(database),
      ...newOperationsMigration.statements(database),
      ...detailedCalls(database),
      ...repeatedSpansMigration.statements(database),
      ...adjustedCountsMigration.statements(database),
      ...viewsOfSentCounts(database),
    ]),
};

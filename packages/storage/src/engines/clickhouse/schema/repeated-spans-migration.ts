import { callBucketsPerDoubling } from "../../../api/duration-buckets.ts";
import { kinds } from "./derived-migration.ts";
import type { Migration } from "./migration.ts";
import { durable } from "./spans-migration.ts";

/** Sums are unsigned 64-bit numbers that wrap around. So a number is subtracted by adding its complement. */
const takenAway = (sum: string) => `toUInt64(-sum(toInt64(copies) * ${sum}))`;

const bucketOf = (perDoubling: number) =>
  `if(duration > 1, toUInt16(floor(log2(duration) * ${perDoubling})), 0)`;

/**
 * Spans that are stored more than once, because two collectors may store the same batch:
 * docs/adr/049-spans-that-are-stored-twice.md.
 *
 * - `span`: the hash that copies of a span share, see `spanHash`.
 * - `copies`: number of rows of the span, without the first row. Later rows add to this number, or subtract a surplus.
 * - `pending`: the hash of the span's parent as in `dependency_calls`; 0 for a span that is not a call.
 *
 * Two views subtract the copies from `span_metrics` and `dependency_calls`. A copied call is subtracted by a call with
 * a negative number, which waits for the same parent. So the negative call takes the same path as the copy itself,
 * which may be counted, waiting or given up.
 */
export const repeatedSpansMigration: Migration = {
  version: 13,
  name: "spans stored more than once",
  statements: (database) => [
    `CREATE TABLE IF NOT EXISTS ${database}.repeated_spans (
  received Date,
  tenant LowCardinality(String),
  minute Int32,
  span UInt64,
  service LowCardinality(String),
  name LowCardinality(String),
  kind ${kinds},
  duration Int64,
  failed Bool,
  pending UInt64,
  copies Int32
) ENGINE = MergeTree
PARTITION BY received
ORDER BY (tenant, minute, span)
SETTINGS ${durable}`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.span_metrics_of_repeated_view TO ${database}.span_metrics AS
SELECT received, tenant, service, minute, name, kind, ${bucketOf(8)} AS bucket,
  ${takenAway("1")} AS calls, ${takenAway("failed")} AS errors, ${takenAway("greatest(duration, 0)")} AS total_duration
FROM ${database}.repeated_spans GROUP BY received, tenant, service, minute, name, kind, bucket`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.dependency_calls_of_repeated_view TO ${database}.dependency_calls AS
SELECT received, pending, tenant, minute, '' AS parent, service AS child, kind, failed, ${bucketOf(callBucketsPerDoubling)} AS bucket,
  -sum(toInt64(copies)) AS calls, now('UTC') AS arrived
FROM ${database}.repeated_spans WHERE pending != 0
GROUP BY received, pending, tenant, minute, child, kind, failed, bucket`,
  ],
};

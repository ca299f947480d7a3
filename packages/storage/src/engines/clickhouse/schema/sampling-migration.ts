import type { Migration } from "./migration.ts";

const keptTwoDays = (time: string) =>
  `PARTITION BY toDate(${time})\nTTL toDateTime(${time}) + INTERVAL 2 DAY\nSETTINGS ttl_only_drop_parts = 1`;

/**
 * Data that collectors share for adaptive sampling: small tables whose loss is harmless.
 *
 * - A calculation is one row with arrays, so that readers see either the whole calculation or nothing.
 * - A lease is the newest row of each owner, and times come from the server, so that clocks of collectors do not
 *   matter.
 */
export const samplingMigration: Migration = {
  version: 3,
  name: "sampling",
  statements: (database) => [
    `CREATE TABLE IF NOT EXISTS ${database}.operation_throughput (
  taken DateTime64(3, 'UTC'),
  service String,
  operation String,
  count UInt64,
  probabilities Array(String)
) ENGINE = MergeTree
ORDER BY taken
${keptTwoDays("taken")}`,
    `CREATE TABLE IF NOT EXISTS ${database}.sampling_probabilities (
  calculated DateTime64(3, 'UTC'),
  owner String,
  services Array(String),
  operations Array(String),
  probabilities Array(Float64),
  qps Array(Float64)
) ENGINE = MergeTree
ORDER BY calculated
${keptTwoDays("calculated")}`,
    `CREATE TABLE IF NOT EXISTS ${database}.leases (
  name String,
  owner String,
  updated DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC'),
  ttl_ms UInt64,
  since DateTime64(6, 'UTC') DEFAULT updated,
  ends DateTime64(6, 'UTC') DEFAULT updated + toIntervalMillisecond(ttl_ms)
) ENGINE = ReplacingMergeTree(updated)
ORDER BY (name, owner)
TTL toDateTime(updated) + INTERVAL 2 DAY`,
  ],
};

import type { StoredSample } from "./store-questions.ts";
import { storeSql } from "./store-sql.ts";

/**
 * A simple design of a table: a column for each field, and bloom filters on trace ids, and on keys and values of
 * attributes.
 */
const plainTable = "plain.spans";

const elements = (column: string) => `arrayFilter(e -> e != '', splitByChar('\\xFF', ${column}))`;
const keys = (column: string) =>
  `arrayMap(e -> substring(e, 1, positionCaseInsensitive(e, '\\xFE') - 1), ${elements(column)})`;
const values = (column: string) =>
  `arrayMap(e -> substring(e, positionCaseInsensitive(e, '\\xFE') + 2), ${elements(column)})`;

/** Columns of the table, with their types and the expressions over `spans` that fill them. */
const columns: readonly (readonly [name: string, type: string, from: string])[] = [
  ["service", "LowCardinality(String)", "service"],
  ["resource_keys", "Array(LowCardinality(String))", keys("resource_text")],
  ["resource_values", "Array(String)", values("resource_text")],
  ["scope", "LowCardinality(String)", "scope_text"],
  ["trace_id", "FixedString(16)", "trace_id"],
  ["span_id", "FixedString(8)", "span_id"],
  ["parent_span_id", "FixedString(8)", "parent_span_id"],
  ["name", "LowCardinality(String)", "name"],
  ["kind", "Int8", "CAST(kind, 'Int8')"],
  ["start", "DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1))", "start"],
  ["duration", "Int64 CODEC(T64, ZSTD(1))", "duration"],
  ["status", "Int8", "CAST(status, 'Int8')"],
  ["status_message", "String", "status_message"],
  ["attribute_keys", "Array(LowCardinality(String))", keys("attribute_text")],
  ["attribute_values", "Array(String) CODEC(ZSTD(1))", values("attribute_text")],
  ["events", "String CODEC(ZSTD(1))", "event_text"],
];

const indexes = ["trace_id", "attribute_keys", "attribute_values"].map(
  (column) => `INDEX ${column}_index ${column} TYPE bloom_filter(0.01) GRANULARITY 1`,
);

/** Creates the table from the spans of a database unless it exists, and merges it into one part. */
export async function fillPlainTable(
  url: string,
  database: string,
  progress: (line: string) => void,
): Promise<void> {
  const isThere = "SELECT count() FROM system.tables WHERE database = 'plain' AND name = 'spans' FORMAT TSV";
  if ((await storeSql(url, isThere)) === "1") {
    return;
  }
  await storeSql(url, "CREATE DATABASE IF NOT EXISTS plain");
  // Removes the rest of an interrupted fill.
  await storeSql(url, "DROP TABLE IF EXISTS plain.filling SYNC");
  const defined = [...columns.map(([name, type]) => `${name} ${type}`), ...indexes].join(",\n  ");
  await storeSql(
    url,
    `CREATE TABLE plain.filling (\n  ${defined}\n) ENGINE = MergeTree ORDER BY (service, toStartOfMinute(start), trace_id)`,
  );
  progress("filling a plain table");
  const from = columns.map(([, , sql]) => sql).join(", ");
  await storeSql(
    url,
    `INSERT INTO plain.filling SELECT ${from} FROM ${database}.spans SETTINGS max_threads = 1`,
  );
  await storeSql(url, "OPTIMIZE TABLE plain.filling FINAL");
  await storeSql(url, `RENAME TABLE plain.filling TO ${plainTable}`);
}

/** Statements that answer the questions of the same names with whole traces. */
export function plainStatements(
  endUnixMs: number,
  sample: (attempt: number) => StoredSample,
): ReadonlyMap<string, (attempt: number) => string> {
  const hour = `start > fromUnixTimestamp64Milli(${endUnixMs - 3_600_000}) AND start <= fromUnixTimestamp64Milli(${endUnixMs})`;
  const ofService = "service = 'frontend'";
  const has = (key: string, value: string) =>
    `has(attribute_keys, '${key}') AND has(attribute_values, '${value}') AND attribute_values[indexOf(attribute_keys, '${key}')] = '${value}'`;
  const failed = has("http.response.status_code", "503");
  const rare = (attempt: number) => has("http.request.id", sample(attempt).requestId);
  return new Map<string, (attempt: number) => string>([
    ["newest 20 of a service, hour", () => tracesWith(`${ofService} AND ${hour}`, hour)],
    ["service and tag, hour", () => tracesWith(`${ofService} AND ${failed} AND ${hour}`, hour)],
    ["rare tag, every service, hour", (attempt) => tracesWith(`${rare(attempt)} AND ${hour}`, hour)],
    ["rare tag, every service, all", (attempt) => tracesWith(rare(attempt), "1")],
    ["duration, hour", () => tracesWith(`${ofService} AND duration >= 60000000 AND ${hour}`, hour)],
    [
      "trace by id",
      (attempt) =>
        `SELECT * FROM ${plainTable} WHERE trace_id = unhex('${sample(attempt).traceId}') FORMAT RowBinary`,
    ],
  ]);
}

/**
 * The newest 20 traces with a span that satisfies the condition; from these traces, the spans that satisfy `within`.
 */
function tracesWith(condition: string, within: string): string {
  const found = `SELECT trace_id FROM ${plainTable} WHERE ${condition} GROUP BY trace_id ORDER BY max(start) DESC LIMIT 20`;
  return `SELECT * FROM ${plainTable} WHERE trace_id IN (${found}) AND ${within} FORMAT RowBinary`;
}

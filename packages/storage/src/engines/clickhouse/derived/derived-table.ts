import { spanHash } from "../repeated/span-identity.ts";
import { selectCalls } from "../schema/call-details-migration.ts";
import { selectMetrics } from "../schema/derived-migration.ts";

/** A day, and the part of its traces that is read. Dividing a day limits the memory of a comparison. */
export interface DaySlice {
  /** Date in ClickHouse's form, such as `2026-11-26`. */
  readonly day: string;
  /** Number of this part of the day, from 0. */
  readonly part: number;
  /** Number of parts into which the day is divided. */
  readonly parts: number;
}

/**
 * Returns the name of a table in the database that is read: on a single server the table itself, in a cluster the
 * server's local table.
 */
export type TableName = (table: string) => string;

/** A table that views fill from spans, with the statements that compare it with the spans. */
export interface DerivedTable {
  readonly name: string;
  /** Unit of `missing` and `surplus`. */
  readonly counts: string;
  /** True: a part of a day's traces can be compared. False: only the whole day can. */
  readonly isByTrace: boolean;
  /**
   * SQL that returns one row. `missing` counts what the table lacks; `surplus` counts table entries that no span
   * explains.
   */
  compare(tables: TableName, slice: DaySlice): string;
  /** INSERT statement for the missing rows. */
  repair(tables: TableName, slice: DaySlice): string;
}

const metricKey = "received, tenant, service, minute, name, kind, bucket";
const callKey = "received, tenant, minute, parent, child, kind, failed, bucket";

const columns =
  "received, tenant, format, service, trace_id, span_id, parent_span_id, name, kind, start, duration, status";

/**
 * SQL that defines `day.spans`: the spans of a slice, with the columns that views read. It leaves out one row for each
 * copy of a span that `repeated_spans` has subtracted from the counts.
 */
function withSpans(tables: TableName, slice: DaySlice): string {
  const noted = `FROM ${tables("repeated_spans")} WHERE received = '${slice.day}'`;
  const spans = `FROM ${tables("spans")} WHERE ${inSlice(slice)} AND ${spanHash}`;
  return `WITH slice_of_spans AS (
  SELECT ${columns} ${spans} NOT IN (SELECT span ${noted})
  UNION ALL
  SELECT ${columns} FROM (
    SELECT ${columns}, ${spanHash} AS span, row_number() OVER (PARTITION BY span) AS row_of_span ${spans} IN (SELECT span ${noted})
  ) AS of_repeated INNER JOIN (SELECT span, sum(toInt64(copies)) AS left_out ${noted} GROUP BY span) AS repeated USING span
  WHERE row_of_span > left_out
)`;
}

function inSlice({ day, part, parts }: DaySlice): string {
  return `received = '${day}'${parts === 1 ? "" : ` AND cityHash64(trace_id) % ${parts} = ${part}`}`;
}

/** The SELECT of a view, applied to the slice. */
function onSlice(select: (database: string) => string): string {
  return select("day").replaceAll("day.spans", "slice_of_spans");
}

/** SQL for the counts that are missing in `span_metrics`; a negative count is a surplus. */
function metricDifferences(tables: TableName, slice: DaySlice): string {
  return `SELECT ${metricKey}, sum(row.1) AS calls, sum(row.2) AS errors, sum(row.3) AS total_duration FROM (
  SELECT ${metricKey}, (toInt64(calls), toInt64(errors), toInt64(total_duration)) AS row FROM (${onSlice(selectMetrics)})
  UNION ALL
  SELECT ${metricKey}, (-toInt64(calls), -toInt64(errors), -toInt64(total_duration)) AS row
  FROM ${tables("span_metrics")} WHERE received = '${slice.day}'
) GROUP BY ${metricKey}`;
}

/** SQL for the counts that are missing in `dependency_calls`, for calls whose parent is stored. */
function callDifferences(tables: TableName, { day }: DaySlice): string {
  return `SELECT ${callKey}, sum(number) AS calls FROM (
  SELECT ${callKey}, calls AS number FROM (${onSlice(selectCalls)}) WHERE pending = 0
  UNION ALL
  SELECT ${callKey}, -calls AS number FROM ${tables("dependency_calls")} WHERE received = '${day}' AND pending = 0
) GROUP BY ${callKey}`;
}

function missingMinutes(tables: TableName, slice: DaySlice): string {
  return `SELECT DISTINCT received, trace_id, toStartOfMinute(start) AS minute FROM slice_of_spans
WHERE (trace_id, toStartOfMinute(start)) NOT IN (SELECT trace_id, minute FROM ${tables("trace_minutes")} WHERE ${inSlice(slice)})`;
}

function missingOperations(tables: TableName): string {
  return `SELECT tenant, service, name, kind, max(received) AS last_received FROM slice_of_spans
WHERE (tenant, service, name, kind) NOT IN (SELECT tenant, service, name, kind FROM ${tables("operations")})
GROUP BY tenant, service, name, kind`;
}

/** All tables that views fill from `spans`. */
export const derivedTables: readonly DerivedTable[] = [
  {
    name: "span_metrics",
    counts: "spans",
    isByTrace: false,
    compare: (tables, slice) =>
      `${withSpans(tables, slice)} SELECT sumIf(calls, calls > 0) AS missing, -sumIf(calls, calls < 0) AS surplus FROM (${metricDifferences(tables, slice)})`,
    repair: (tables, slice) =>
      `INSERT INTO ${tables("span_metrics")} (${metricKey}, calls, errors, total_duration)
${withSpans(tables, slice)} SELECT ${metricKey}, toUInt64(calls), toUInt64(greatest(errors, 0)), toUInt64(greatest(total_duration, 0)) FROM (${metricDifferences(tables, slice)}) WHERE calls > 0`,
  },
  {
    name: "trace_minutes",
    counts: "minutes of traces",
    isByTrace: true,
    compare: (tables, slice) =>
      `${withSpans(tables, slice)} SELECT count() AS missing, 0 AS surplus FROM (${missingMinutes(tables, slice)})`,
    repair: (tables, slice) =>
      `INSERT INTO ${tables("trace_minutes")} (received, trace_id, minute)
${withSpans(tables, slice)} ${missingMinutes(tables, slice)}`,
  },
  {
    name: "operations",
    counts: "operations",
    isByTrace: false,
    compare: (tables, slice) =>
      `${withSpans(tables, slice)} SELECT count() AS missing, 0 AS surplus FROM (${missingOperations(tables)})`,
    repair: (tables, slice) =>
      `INSERT INTO ${tables("operations")} (tenant, service, name, kind, last_received)
${withSpans(tables, slice)} ${missingOperations(tables)}`,
  },
  {
    name: "dependency_calls",
    counts: "calls",
    isByTrace: false,
    // A call that still waits for its parent is counted within a minute, unless its parent came too late. Neither case
    // counts as missing. A subtracted call waits too, with a negative number.
    compare: (tables, slice) =>
      `${withSpans(tables, slice)}, waiting AS (SELECT sumIf(n, n > 0) AS calls, -sumIf(n, n < 0) AS copies FROM (
  SELECT sum(calls) AS n FROM ${tables("dependency_calls")} WHERE received = '${slice.day}' AND pending != 0 GROUP BY pending, minute, child, kind, failed, bucket))
SELECT greatest(sumIf(calls, calls > 0) - (SELECT calls FROM waiting), 0) AS missing,
  greatest(-sumIf(calls, calls < 0) - (SELECT copies FROM waiting), 0) AS surplus FROM (${callDifferences(tables, slice)})`,
    repair: (tables, slice) =>
      `INSERT INTO ${tables("dependency_calls")} (pending, ${callKey}, calls, arrived)
${withSpans(tables, slice)} SELECT 0, ${callKey}, calls, toDateTime(0, 'UTC') FROM (${callDifferences(tables, slice)}) WHERE calls > 0`,
  },
];

import type { SpanKind } from "wire/model";

/** Number of minutes before a span in which its parent may start, for calls whose blocks arrive in quick succession. */
const nearMinutes = 2;
/** The same number of minutes, for calls that have waited ten minutes. */
const farMinutes = 60;
/** Minutes after which the search for a parent ends. */
const patienceMinutes = 10;

/**
 * Maximum number of waiting rows that one read joins. If there are more, the read uses a sample. The other calls are
 * counted after they are settled.
 */
const maxPendingRead = 30_000;
/** Maximum number of waiting rows in one settling step; later steps settle the remaining rows. */
const maxPendingSettled = 1_000_000;

/** Setting that prevents the use of the index of starts. See `spansOfTraces` for the reason. */
const byMinutes = "SETTINGS ignore_data_skipping_indices = 'start_index'";

/** Number of minutes by which the clock of a parent's machine may be ahead. */
const aheadMinutes = 1;

/** The parents that are searched: SQL expressions for `IN`, one with start minutes and one with hashes. */
interface SoughtCallers {
  readonly minutes: string;
  readonly keys: string;
}

/** SQL for the callers to which a table of pending calls refers. */
function callersOf(pending: string, lookBackMinutes: number): SoughtCallers {
  return {
    minutes:
      `(SELECT toDateTime(arrayJoin(range(toUInt32(greatest(minute - ${lookBackMinutes}, 0)), ` +
      `toUInt32(greatest(minute, 0) + ${aheadMinutes + 1}))) * 60, 'UTC') FROM ${pending})`,
    keys: `(SELECT pending FROM ${pending})`,
  };
}

/**
 * SQL for the parents of pending calls: `key` and `service`. The hashes are computed as in the migration that created
 * `dependency_calls`.
 */
function callers(database: string, { minutes, keys }: SoughtCallers): string {
  const key = (kind: "span" | "client") => `cityHash64('${kind}', tenant, trace_id, span_id)`;
  const isPending = (kind: "span" | "client") =>
    `toStartOfMinute(start) IN ${minutes} AND ${key(kind)} IN ${keys}`;
  return `SELECT ${key("span")} AS key, argMax(service, kind != 'client') AS service
  FROM ${database}.spans WHERE ${isPending("span")} GROUP BY key
  UNION ALL
  SELECT ${key("client")} AS key, any(service) AS service FROM ${database}.spans
  WHERE format != 'otlp' AND kind = 'client' AND ${isPending("client")} GROUP BY key`;
}

const maxHash = "18446744073709551615";

/** SQL for the ratio of all waiting rows to the rows in the sample, at least 1. */
function pendingScale(database: string, rows: number): string {
  return `(SELECT greatest(count() / ${rows}, 1) FROM ${database}.dependency_calls WHERE pending != 0)`;
}

/**
 * SQL for the largest hash in the sample of waiting calls. The table is ordered by hash, so the rows up to a hash are a
 * fair sample, and only these rows are read.
 */
function lastPending(database: string, rows: number): string {
  const sampled = `intDiv(${maxHash}, count()) * ${rows}`;
  return `(SELECT if(count() > ${rows}, ${sampled}, ${maxHash}) FROM ${database}.dependency_calls WHERE pending != 0)`;
}

/** Columns that describe the called span: kind, failure, duration bucket, and number of original spans. */
const details = "kind, failed, bucket, adjusted_count";

/** @param rows approximate limit of the rows to read */
function pendingCalls(database: string, rows: number, where = "", having = ""): string {
  return `(SELECT received, pending, tenant, minute, child, ${details}, sum(stored.calls) AS calls, min(stored.arrived) AS since
  FROM ${database}.dependency_calls AS stored
  WHERE pending != 0 AND pending <= ${lastPending(database, rows)} ${where}
  GROUP BY received, pending, tenant, minute, child, ${details} HAVING calls != 0 ${having})`;
}

const wanted = "AND tenant = {tenant:String} AND minute BETWEEN {from:Int32} AND {to:Int32}";

/** Maximum number of waiting calls that a statement lists. There are rarely more waiting calls. */
export const maxPendingNamed = 1_000;

/** A row of `countedSql`. */
export interface CountedCalls {
  /** "0" for counted calls, which have a parent. For waiting calls, the hash of the parent. */
  readonly parentKey: string;
  /** Minutes since the Unix epoch. */
  readonly startMinute: number;
  /** Service of the caller. */
  readonly parent: string;
  /** Service that is called. */
  readonly child: string;
  /** Number of calls. The number is negative when the row cancels the count of another row. */
  readonly calls: number;
  /** Number of original calls that each call represents; 0: unknown. */
  readonly adjusted_count: number;
  /** Kind of the called span. `kind`, `failed` and `bucket` are present only with details. */
  readonly kind?: SpanKind;
  readonly failed?: boolean;
  readonly bucket?: number;
}

/** `sums`: only the number of calls. `details`: also kind, failure and duration. */
export type CallDetail = "sums" | "details";

function detailColumns(detail: CallDetail): string {
  return detail === "details" ? details : "adjusted_count";
}

/**
 * SQL for the counted calls of `tenant` in the minutes from `from` to `to`, and for the rows of waiting calls, at most
 * one more than `maxPendingNamed`. One read returns both kinds of rows. If there were two reads, a settling step
 * between them would hide calls from both.
 */
export function countedSql(database: string, detail: CallDetail): string {
  const names = ["child", ...detailColumns(detail).split(", ")];
  const ofCounted = names.map(
    (name) => `if(pending = 0, stored.${name}, defaultValueOfArgumentType(stored.${name}))`,
  );
  const any = names.map((name) => `any(stored.${name})`);
  return `SELECT toString(row.1) AS parentKey, row.2 AS startMinute, toString(caller) AS parent, toFloat64(row.3) AS calls,
  ${names.map((name, index) => `row.${index + 4} AS ${name}`).join(", ")}
FROM (
  SELECT parent AS caller, (toUInt64(0), toInt32(0), sum(stored.calls), ${any.join(", ")}) AS counted,
    groupArrayIf(${maxPendingNamed + 1})((pending, minute, stored.calls, ${names.map((name) => `stored.${name}`).join(", ")}), pending != 0) AS waiting
  FROM ${database}.dependency_calls AS stored WHERE 1 ${wanted}
  GROUP BY pending = 0, parent, ${ofCounted.join(", ")}
) ARRAY JOIN if(empty(waiting), [counted], waiting) AS row`;
}

/**
 * SQL for rows of `key` and `service`: the parents of the listed waiting calls. Listing the calls takes a quarter of
 * the time of a join.
 */
export function callersSql(database: string, pending: readonly CountedCalls[]): string {
  const minutes = new Set<number>();
  for (const { startMinute } of pending) {
    const last = Math.max(startMinute, 0) + aheadMinutes;
    for (let minute = Math.max(startMinute - nearMinutes, 0); minute <= last; minute++) {
      minutes.add(minute);
    }
  }
  const starts = Array.from(minutes, (minute) => `toDateTime(toUInt32(${minute}) * 60, 'UTC')`);
  const keys = new Set(pending.map(({ parentKey }) => parentKey));
  const sought = { minutes: `(${starts.join(", ")})`, keys: `(${[...keys].join(", ")})` };
  return `SELECT toString(key) AS key, toString(service) AS service FROM (${callers(database, sought)}) ${byMinutes}`;
}

/**
 * SQL for rows of `CountedCalls` for `tenant` in the minutes from `from` to `to`: counted calls, and pending calls
 * whose parent has arrived. If there are very many pending calls, it uses a sample.
 */
export function linksSql(database: string, detail: CallDetail): string {
  const more = `, ${detailColumns(detail)}`;
  return `WITH open AS ${pendingCalls(database, maxPendingRead, wanted)}
SELECT '0' AS parentKey, toInt32(0) AS startMinute, parent, child, round(sum(joined.calls)) AS calls${more} FROM (
  SELECT parent, child, toFloat64(calls) AS calls, ${details} FROM ${database}.dependency_calls WHERE pending = 0 ${wanted}
  UNION ALL
  SELECT callers.service AS parent, open.child AS child, open.calls * ${pendingScale(database, maxPendingRead)} AS calls, ${details}
  FROM open INNER JOIN (${callers(database, callersOf("open", nearMinutes))}) AS callers ON open.pending = callers.key
  WHERE callers.service != open.child
) AS joined GROUP BY parent, child${more} ${byMinutes}`;
}

/**
 * Writes a statement that settles pending calls. Calls with a parent are counted and removed. For calls that have
 * waited ten minutes, parents are searched once more, further back in time, and the calls are removed. So even if many
 * calls never find a parent, they are gone after ten minutes.
 * @param isLast true: settles calls that have waited ten minutes; false: settles all calls
 */
export function settleSql(database: string, isLast: boolean): string {
  const waited = isLast ? `AND since < now() - INTERVAL ${patienceMinutes} MINUTE` : "";
  const found = callers(database, callersOf("open", isLast ? farMinutes : nearMinutes));
  return `INSERT INTO ${database}.dependency_calls (received, pending, tenant, minute, parent, child, ${details}, calls, arrived)
WITH open AS ${pendingCalls(database, maxPendingSettled, "", waited)}
SELECT received, row.1 AS pending, tenant, minute, row.2 AS parent, child, ${details}, row.3 AS calls, since AS arrived FROM (
  SELECT open.received AS received, open.tenant AS tenant, open.minute AS minute, open.child AS child, open.kind AS kind, open.failed AS failed, open.bucket AS bucket, open.adjusted_count AS adjusted_count, open.since AS since,
    arrayJoin(arrayFilter(row -> row.1 != 0 OR row.2 NOT IN ('', child), [
      (open.pending, '', -open.calls), (toUInt64(0), toString(callers.service), open.calls)])) AS row
  FROM open ${isLast ? "LEFT" : "INNER"} JOIN (${found}) AS callers ON open.pending = callers.key
) ${byMinutes}`;
}
